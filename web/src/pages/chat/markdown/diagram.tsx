import { useEffect, useState } from "react"
import { t } from "../../../i18n/translate.ts"
import { currentTheme, useTheme } from "../../../lib/theme.ts"
import { Button } from "../../../ui/button.tsx"
import { CodeBlock } from "./code-block.tsx"

/** A Mermaid diagram as an image, in which no script can run, or its source code. */
export const Diagram = ({ source }: { source: string }) => {
  useTheme()
  const theme = currentTheme()
  const [picture, setPicture] = useState<{ source: string; url: string } | null>(null)
  const [failed, setFailed] = useState(false)
  const [asSource, setAsSource] = useState(false)
  useEffect(() => {
    let isUnmounted = false
    const draw = async (): Promise<void> => {
      const { drawDiagram } = await import("./mermaid.ts")
      const url = await drawDiagram(source, theme)
      if (!isUnmounted) setPicture({ source, url })
    }
    setFailed(false)
    draw().catch(() => {
      if (!isUnmounted) setFailed(true)
    })
    return () => {
      isUnmounted = true
    }
  }, [source, theme])

  const url = picture?.source === source ? picture.url : null
  if (asSource || failed || !url) {
    return (
      <>
        <CodeBlock code={source} language="mermaid" growing={false} />
        {failed && <p className="text-sm text-muted">{t("chat.noDiagram")}</p>}
        {url && <Button onClick={() => setAsSource(false)}>{t("chat.showDiagram")}</Button>}
      </>
    )
  }
  return (
    <figure className="diagram">
      <img src={url} alt={t("chat.diagram")} />
      <Button variant="quiet" onClick={() => setAsSource(true)}>
        {t("chat.showSource")}
      </Button>
    </figure>
  )
}
