import { type ReactNode, Suspense, useMemo, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { fileContentUrl } from "../../lib/knowledge-api.ts"
import { lazyComponent } from "../../lib/lazy-component.tsx"
import { classes } from "../../ui/classes.ts"
import { LazyLoadBoundary } from "../../ui/lazy-load-boundary.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import type { PdfFailure } from "./open-document.ts"

const PdfViewer = lazyComponent(async () => (await import("./pdf-viewer.tsx")).PdfViewer)

/** Whether a file can be shown as pages. */
export const isPdf = (name: string): boolean => /\.pdf$/i.test(name)

interface PdfFileProps {
  id: string
  name: string
  page: number
  /** Text to look for on the page. */
  passage: string | null
  /** False if the passage is the whole file, which needs no mark. */
  isMarked?: boolean
  /** Its height. */
  className: string
  /** Shown if the file cannot be shown as pages, or the passage is not in the page's text. */
  text: ReactNode
  /** Shown below the pages. */
  link?: ReactNode
}

/** A PDF as it looks, or its text and the reason. Needs a new key for another page. */
export const PdfFile = (props: PdfFileProps) => {
  const { id, name, page, passage, isMarked = true, className, text, link } = props
  const sought = useMemo(
    () => (passage === null ? null : { text: passage, isMarked }),
    [passage, isMarked],
  )
  const [failure, setFailure] = useState<PdfFailure | null>(null)
  const [isFound, setIsFound] = useState(true)
  if (failure) {
    return (
      <>
        {failure !== "missing" && (
          <p role="status" className="text-sm text-muted">
            {t(`pdf.${failure}`)}
          </p>
        )}
        {text}
      </>
    )
  }
  return (
    <>
      <div
        className={classes(
          "flex flex-col overflow-hidden rounded border border-line bg-surface",
          className,
        )}
      >
        <LazyLoadBoundary>
          <Suspense
            fallback={
              <div className="p-4">
                <Skeleton rows={6} />
              </div>
            }
          >
            <PdfViewer
              firstPage={page}
              passage={sought}
              onSearched={setIsFound}
              onFailure={setFailure}
              download={{ url: fileContentUrl(id), name }}
            />
          </Suspense>
        </LazyLoadBoundary>
      </div>
      {isFound ? (
        link
      ) : (
        <>
          <p className="text-xs text-muted">{t("pdf.unmarked")}</p>
          {text}
        </>
      )}
    </>
  )
}
