import type { PDFDocumentProxy } from "pdfjs-dist/types/src/display/api.js"
import { type CSSProperties, useCallback, useEffect, useRef } from "react"
import { t } from "../../i18n/translate.ts"
import { findPassage } from "./find-passage.ts"
import { markRuns } from "./mark-runs.ts"
import type { PageSize } from "./page-layout.ts"
import { usePageCanvas, usePdfPage, useTextLayer } from "./use-page-rendering.ts"

/** A passage to look for on a page. */
export interface SoughtPassage {
  text: string
  /** False if the passage is the whole file, which needs no mark. */
  isMarked: boolean
}

interface PdfPageProps {
  document: PDFDocumentProxy
  number: number
  top: number
  size: PageSize
  scale: number
  /** Null if the passage is on another page. */
  passage: SoughtPassage | null
  onSize: (number: number, size: PageSize) => void
  /** Called once the page's text has been searched. */
  onSearched: (found: boolean, firstMark: HTMLElement | null) => void
}

/** A page as it looks, with its text above it. */
export const PdfPage = (props: PdfPageProps) => {
  const { document, number, top, size, scale, passage, onSize, onSearched } = props
  const page = usePdfPage(document, number)
  const canvasBox = useRef<HTMLDivElement>(null)
  const textBox = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!page) return
    const { width, height } = page.getViewport({ scale: 1 })
    onSize(number, { width, height })
  }, [page, number, onSize])
  usePageCanvas({ page, scale, box: canvasBox })
  const showText = useCallback(
    (runs: readonly HTMLElement[], texts: readonly string[]) => {
      if (!passage) return
      const ranges = findPassage(texts, passage.text)
      if (passage.isMarked) markRuns(runs, ranges)
      onSearched(ranges.length > 0, textBox.current?.querySelector("mark") ?? null)
    },
    [passage, onSearched],
  )
  useTextLayer({ page, box: textBox, onText: showText })
  const style: CSSProperties = {
    top,
    width: size.width * scale,
    height: size.height * scale,
    ...{ "--total-scale-factor": scale },
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would become a landmark
    <div
      role="group"
      aria-label={t("pdf.page", { page: number, count: document.numPages })}
      className="pdf-page"
      style={style}
    >
      <div ref={canvasBox} className="pdf-canvas" />
      <div ref={textBox} className="pdf-text" />
    </div>
  )
}
