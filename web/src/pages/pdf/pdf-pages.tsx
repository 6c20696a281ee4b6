import type { PDFDocumentProxy } from "pdfjs-dist/types/src/display/api.js"
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react"
import { t } from "../../i18n/translate.ts"
import { createPageLayout, type PageSize, pageGap } from "./page-layout.ts"
import { PdfPage, type SoughtPassage } from "./pdf-page.tsx"
import { PdfToolbar, zoomStep } from "./pdf-toolbar.tsx"
import { useScrolledPages } from "./use-scrolled-pages.ts"

const maxScale = 5
/** Slightly larger than printed, at 96 pixels per inch. */
const readingScale = 1.5
/** Relative to the pages as they fit the view. */
const minZoom = 0.25
const maxZoom = 4

export interface PdfPagesProps {
  document: PDFDocumentProxy
  /** Assumed for pages that have not been loaded yet. */
  firstSize: PageSize
  firstPage: number
  /** Looked for on the first page shown. */
  passage: SoughtPassage | null
  onSearched: (found: boolean) => void
  download: { url: string; name: string }
}

const useWidth = (scroller: RefObject<HTMLDivElement | null>): number => {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    setWidth(element.clientWidth)
    return () => observer.disconnect()
  }, [scroller])
  return width
}

/** Sizes of the pages loaded so far. */
const usePageSizes = (firstSize: PageSize) => {
  const [sizes, setSizes] = useState<ReadonlyMap<number, PageSize>>(new Map())
  const sizeOf = useCallback((page: number) => sizes.get(page) ?? firstSize, [sizes, firstSize])
  const onSize = useCallback(
    (page: number, size: PageSize) => {
      const { width, height } = sizeOf(page)
      if (width === size.width && height === size.height) return
      setSizes((known) => new Map(known).set(page, size))
    },
    [sizeOf],
  )
  return { sizeOf, onSize }
}

/** The scale of each page: it fits the view and is not larger than needed to read, until zoomed. */
const useScale = (viewWidth: number, sizeOf: (page: number) => PageSize) => {
  const [fit, setFit] = useState({ max: readingScale, zoom: 1 })
  const widthScaleOf = useCallback(
    (page: number) => Math.min(Math.max(viewWidth - 2 * pageGap, 1) / sizeOf(page).width, maxScale),
    [viewWidth, sizeOf],
  )
  const scaleOf = useCallback(
    (page: number) => Math.min(widthScaleOf(page), fit.max) * fit.zoom,
    [widthScaleOf, fit],
  )
  const zoom = (factor: number): void =>
    setFit(({ max, zoom: last }) => ({
      max,
      zoom: Math.min(Math.max(last * factor, minZoom), maxZoom),
    }))
  return {
    scaleOf,
    fitsWidth: (page: number) => scaleOf(page) === widthScaleOf(page),
    zoom,
    fitWidth: () => setFit({ max: maxScale, zoom: 1 }),
  }
}

const scaleSize = ({ width, height }: PageSize, scale: number): PageSize => ({
  width: width * scale,
  height: height * scale,
})

/** The pages of a document below each other; only those near the visible ones are drawn. */
export const PdfPages = (props: PdfPagesProps) => {
  const { document, firstSize, firstPage, passage, onSearched, download } = props
  const count = document.numPages
  const scroller = useRef<HTMLDivElement>(null)
  const width = useWidth(scroller)
  const { sizeOf, onSize } = usePageSizes(firstSize)
  const { scaleOf, fitsWidth, zoom, fitWidth } = useScale(width, sizeOf)
  const layout = useMemo(
    () => createPageLayout(count, (page) => scaleSize(sizeOf(page), scaleOf(page))),
    [count, sizeOf, scaleOf],
  )
  const { current, drawn, onScroll, goToPage } = useScrolledPages(scroller, layout, {
    count,
    firstPage,
    isMeasured: width > 0,
  })
  const hasScrolledToMark = useRef(false)
  const showMark = useCallback(
    (found: boolean, mark: HTMLElement | null) => {
      onSearched(found)
      // Only at first: the reader may return to this page later.
      if (!hasScrolledToMark.current) mark?.scrollIntoView({ block: "center", inline: "nearest" })
      hasScrolledToMark.current = true
    },
    [onSearched],
  )
  const actionByKey: Record<string, () => void> = {
    "+": () => zoom(zoomStep),
    "=": () => zoom(zoomStep),
    "-": () => zoom(1 / zoomStep),
    "0": fitWidth,
    ArrowLeft: () => goToPage(current - 1),
    ArrowRight: () => goToPage(current + 1),
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const action = actionByKey[event.key]
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    action()
  }
  return (
    <>
      <PdfToolbar
        page={current}
        count={count}
        onPage={goToPage}
        onZoom={zoom}
        onFitWidth={fitWidth}
        fitsWidth={fitsWidth(current)}
        download={download}
      />
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would become a landmark */}
      <div
        ref={scroller}
        role="group"
        aria-label={t("pdf.document", { name: download.name })}
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        className="relative min-h-0 flex-1 overflow-auto -outline-offset-2 [overflow-anchor:none]"
      >
        <div className="relative min-w-full" style={{ height: layout.height, width: layout.width }}>
          {width > 0 &&
            drawn.map((number) => (
              <PdfPage
                key={number}
                document={document}
                number={number}
                top={layout.topOf(number)}
                size={sizeOf(number)}
                scale={scaleOf(number)}
                passage={number === firstPage ? passage : null}
                onSize={onSize}
                onSearched={showMark}
              />
            ))}
        </div>
      </div>
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: see above */}
    </>
  )
}
