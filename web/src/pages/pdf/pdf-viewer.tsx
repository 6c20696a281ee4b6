import type { PDFDocumentProxy } from "pdfjs-dist/types/src/display/api.js"
import { useEffect, useState } from "react"
import { Skeleton } from "../../ui/skeleton.tsx"
import { openDocument, type PdfFailure, pdfFailureOf } from "./open-document.ts"
import type { PageSize } from "./page-layout.ts"
import { PdfPages, type PdfPagesProps } from "./pdf-pages.tsx"
import "./pdf.css"

interface PdfViewerProps
  extends Pick<PdfPagesProps, "firstPage" | "passage" | "onSearched" | "download"> {
  onFailure: (failure: PdfFailure) => void
}

interface LoadedDocument {
  document: PDFDocumentProxy
  firstSize: PageSize
}

const loadFirstSize = async (opened: Promise<PDFDocumentProxy>): Promise<LoadedDocument> => {
  const document = await opened
  const page = await document.getPage(1)
  const { width, height } = page.getViewport({ scale: 1 })
  return { document, firstSize: { width, height } }
}

/** A PDF as it looks, opened at a page. */
export const PdfViewer = ({ onFailure, ...props }: PdfViewerProps) => {
  const { url } = props.download
  const [loaded, setLoaded] = useState<LoadedDocument | null>(null)
  useEffect(() => {
    let isUnmounted = false
    const { document, close } = openDocument(url)
    loadFirstSize(document).then(
      (found) => {
        if (!isUnmounted) setLoaded(found)
      },
      (error) => {
        if (!isUnmounted) onFailure(pdfFailureOf(error))
      },
    )
    return () => {
      isUnmounted = true
      close()
    }
  }, [url, onFailure])
  if (!loaded) {
    return (
      <div className="p-4">
        <Skeleton rows={6} />
      </div>
    )
  }
  const firstPage = Math.min(props.firstPage, loaded.document.numPages)
  return <PdfPages {...props} {...loaded} firstPage={firstPage} />
}
