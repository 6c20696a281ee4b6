import { TextLayer } from "pdfjs-dist/legacy/build/pdf.mjs"
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist/types/src/display/api.js"
import { type RefObject, useEffect, useState } from "react"

/** Larger pages are drawn at a lower resolution, in pixels. */
const maxCanvasPixels = 16_777_216

/** The page with this number; null until loaded. */
export const usePdfPage = (document: PDFDocumentProxy, number: number): PDFPageProxy | null => {
  const [page, setPage] = useState<PDFPageProxy | null>(null)
  useEffect(() => {
    let isUnmounted = false
    document.getPage(number).then(
      (loaded) => {
        if (!isUnmounted) setPage(loaded)
      },
      // A damaged page stays blank.
      () => {},
    )
    return () => {
      isUnmounted = true
    }
  }, [document, number])
  return page
}

/** Starts to draw a page; the canvas replaces the box's previous one when it is complete. */
const drawPage = (page: PDFPageProxy, scale: number, box: HTMLElement) => {
  const { width, height } = page.getViewport({ scale })
  const density = Math.min(devicePixelRatio, Math.sqrt(maxCanvasPixels / (width * height)))
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.floor(width * density))
  canvas.height = Math.max(1, Math.floor(height * density))
  canvas.ariaHidden = "true"
  const task = page.render({ canvas, viewport: page.getViewport({ scale: scale * density }) })
  const finished = task.promise.then(
    () => box.replaceChildren(canvas),
    () => {},
  )
  return { cancel: () => task.cancel(), finished }
}

/** Frees a canvas's memory; browsers may keep it for long otherwise. */
const freeCanvas = (box: HTMLElement): void => {
  const canvas = box.querySelector("canvas")
  if (canvas) canvas.width = canvas.height = 0
}

interface PageRendering {
  page: PDFPageProxy | null
  scale: number
  box: RefObject<HTMLDivElement | null>
}

/** Draws a page into a box, and again when its scale changes. */
export const usePageCanvas = ({ page, scale, box }: PageRendering): void => {
  useEffect(() => {
    const element = box.current
    if (!page || !element) return
    const drawing = drawPage(page, scale, element)
    return () => {
      drawing.cancel()
      void drawing.finished.then(() => {
        if (element.isConnected) return
        freeCanvas(element)
        page.cleanup()
      })
    }
  }, [page, scale, box])
}

interface TextRendering {
  page: PDFPageProxy | null
  box: RefObject<HTMLDivElement | null>
  /** Called with the elements of the text and their contents. */
  onText: (runs: readonly HTMLElement[], texts: readonly string[]) => void
}

/** Lays a page's text over its picture, so that it can be selected and read aloud. */
export const useTextLayer = ({ page, box, onText }: TextRendering): void => {
  useEffect(() => {
    const container = box.current
    if (!page || !container) return
    let isUnmounted = false
    const layer = new TextLayer({
      textContentSource: page.streamTextContent(),
      container,
      viewport: page.getViewport({ scale: 1 }),
    })
    layer.render().then(
      () => {
        if (!isUnmounted) onText(layer.textDivs, layer.textContentItemsStr)
      },
      // A page without readable text remains a picture.
      () => {},
    )
    return () => {
      isUnmounted = true
      layer.cancel()
      container.replaceChildren()
    }
  }, [page, box, onText])
}
