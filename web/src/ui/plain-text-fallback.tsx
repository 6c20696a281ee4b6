import { Component, type ReactNode } from "react"
import { t } from "../i18n/translate.ts"

interface TextBoundaryProps {
  /** What the children show, as plain text. */
  text: string
  children: ReactNode
}

/** Shows a plain text if its children can't be rendered, until the text changes. */
export class PlainTextFallback extends Component<TextBoundaryProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError = () => ({ failed: true })

  override componentDidUpdate(before: TextBoundaryProps): void {
    if (this.state.failed && before.text !== this.props.text) this.setState({ failed: false })
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <>
        <p className="text-sm text-muted">{t("chat.plainText")}</p>
        <p className="break-words whitespace-pre-wrap">{this.props.text}</p>
      </>
    )
  }
}
