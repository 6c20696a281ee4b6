import { WrapText } from "lucide-react"
import { type ReactNode, useEffect, useState } from "react"
import { t } from "../../../i18n/translate.ts"
import { IconButton } from "../../../ui/button.tsx"
import { classes } from "../../../ui/classes.ts"
import { CopyButton } from "../../../ui/copy-button.tsx"

interface CodeBlockProps {
  code: string
  language: string
  growing: boolean
}

/** Highlights code once it is complete; highlighting while it grows would flicker and be slow. */
const useColours = ({ code, language, growing }: CodeBlockProps): ReactNode => {
  const [coloured, setColoured] = useState<{ code: string; tree: ReactNode } | null>(null)
  useEffect(() => {
    if (growing || language === "") return
    let left = false
    import("./highlight.tsx").then(
      ({ colour }) => {
        if (!left) setColoured({ code, tree: colour(code, language) })
      },
      () => {},
    )
    return () => {
      left = true
    }
  }, [code, language, growing])
  return coloured?.code === code ? coloured.tree : code
}

export const CodeBlock = (props: CodeBlockProps) => {
  const [wrapped, setWrapped] = useState(false)
  const shown = useColours(props)
  return (
    <figure className="code-block">
      <figcaption>
        <span className="min-w-0 flex-1 truncate">{props.language || t("chat.code")}</span>
        <IconButton
          icon={WrapText}
          label={t("chat.wrap")}
          aria-pressed={wrapped}
          onClick={() => setWrapped(!wrapped)}
        />
        <CopyButton text={props.code} label={t("chat.copyCode")} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <pre tabIndex={0} className={classes(wrapped && "whitespace-pre-wrap break-words")}>
        <code>{shown}</code>
      </pre>
    </figure>
  )
}
