import { Download, WrapText } from "lucide-react"
import { type ReactNode, useEffect, useState } from "react"
import { downloadTextFile } from "../../../browser/download.ts"
import { t } from "../../../i18n/translate.ts"
import { createLazyModule } from "../../../lib/lazy-module.ts"
import { IconButton } from "../../../ui/button.tsx"
import { classes } from "../../../ui/classes.ts"
import { CopyButton } from "../../../ui/copy-button.tsx"
import { extensionOfLanguage } from "./extension-of-language.ts"

/** Fetched once: each `import()` searches the whole page for the module's style sheets. */
const lazyHighlighter = createLazyModule(() => import("./highlight-code.tsx"))

let lastTurn: Promise<void> = Promise.resolve()

/** Waits for a turn of the event loop of its own, so that many codes don't block the page at once. */
const waitForTurn = (): Promise<void> => {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setTimeout(resolve)))
  return lastTurn
}

interface CodeBlockProps {
  code: string
  language: string
  growing: boolean
}

/** Highlights code once it is complete; highlighting while it grows would flicker and be slow. */
const useHighlighting = ({ code, language, growing }: CodeBlockProps): ReactNode => {
  const [highlighted, setHighlighted] = useState<{ code: string; tree: ReactNode } | null>(null)
  useEffect(() => {
    if (growing || language === "") return
    let isUnmounted = false
    const highlight = async (): Promise<void> => {
      const { highlightCode } = await lazyHighlighter.load()
      await waitForTurn()
      if (!isUnmounted) setHighlighted({ code, tree: highlightCode(code, language) })
    }
    highlight().catch(() => {})
    return () => {
      isUnmounted = true
    }
  }, [code, language, growing])
  return highlighted?.code === code ? highlighted.tree : code
}

export const CodeBlock = (props: CodeBlockProps) => {
  const [wrapped, setWrapped] = useState(false)
  const shown = useHighlighting(props)
  const download = (): void =>
    downloadTextFile(`code.${extensionOfLanguage(props.language)}`, "text/plain", props.code)
  return (
    <figure className="code-block">
      <figcaption>
        <span className="min-w-0 flex-1 truncate">{props.language || t("label.code")}</span>
        <IconButton
          icon={WrapText}
          label={t("chat.wrap")}
          aria-pressed={wrapped}
          onClick={() => setWrapped(!wrapped)}
        />
        <IconButton icon={Download} label={t("markdown.downloadCode")} onClick={download} />
        <CopyButton text={props.code} label={t("chat.copyCode")} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <pre tabIndex={0} className={classes(wrapped && "whitespace-pre-wrap break-words")}>
        <code>{shown}</code>
      </pre>
    </figure>
  )
}
