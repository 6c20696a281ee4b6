import { useEffect, useRef, useState } from "react"
import { useCurrentTheme } from "../../../browser/theme.ts"
import { t } from "../../../i18n/translate.ts"
import { lazyComponent } from "../../../lib/lazy-component.tsx"
import { Button } from "../../../ui/button.tsx"
import { LazyPopup } from "../../../ui/lazy-popup.tsx"
import { CodeBlock } from "./code-block.tsx"

const DiagramDialog = lazyComponent(
  async () => (await import("./diagram-dialog.tsx")).DiagramDialog,
)

/** The diagram as an image; its URL is null until drawn. */
const useDiagram = (source: string): { url: string | null; failed: boolean } => {
  const theme = useCurrentTheme()
  const [picture, setPicture] = useState<{ source: string; url: string } | null>(null)
  const [failed, setFailed] = useState(false)
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
  return { url: picture?.source === source ? picture.url : null, failed }
}

/** A Mermaid diagram as an image, in which no script can run, or its source code. */
export const Diagram = ({ source }: { source: string }) => {
  const { url, failed } = useDiagram(source)
  const [asSource, setAsSource] = useState(false)
  const [enlarged, setEnlarged] = useState(false)
  const picture = useRef<HTMLButtonElement>(null)
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
      <button
        ref={picture}
        type="button"
        className="diagram-picture"
        aria-label={t("markdown.enlargeDiagram")}
        onClick={() => setEnlarged(true)}
      >
        <img src={url} alt={t("chat.diagram")} />
      </button>
      <Button variant="quiet" onClick={() => setAsSource(true)}>
        {t("chat.showSource")}
      </Button>
      <LazyPopup onCancel={() => setEnlarged(false)}>
        {enlarged && (
          <DiagramDialog
            source={source}
            url={url}
            trigger={picture}
            onClose={() => setEnlarged(false)}
          />
        )}
      </LazyPopup>
    </figure>
  )
}
