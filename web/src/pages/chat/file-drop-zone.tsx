import { Paperclip } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import { createPortal } from "react-dom"
import { t } from "../../i18n/translate.ts"
import { isFileDrag } from "../../lib/drop-guard.ts"
import { readDroppedFiles } from "../../lib/file-selection.ts"
import type { SelectedFile } from "../../lib/upload-file.ts"

/** Accepts files dropped anywhere on the page, and says so while they are dragged over it. */
export const FileDropZone = ({ onFiles }: { onFiles: (files: SelectedFile[]) => void }) => {
  const [isDragging, setDragging] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
  const page = document.getElementById("page")

  useEffect(() => {
    if (!page) return
    const onDragOver = (event: DragEvent): void => {
      if (!isFileDrag(event)) return
      event.preventDefault()
      setDragging(true)
    }
    const onDragLeave = ({ relatedTarget }: DragEvent): void => {
      if (!(relatedTarget instanceof Node && page.contains(relatedTarget))) setDragging(false)
    }
    const onDrop = (event: DragEvent): void => {
      setDragging(false)
      if (!event.dataTransfer || !isFileDrag(event)) return
      event.preventDefault()
      void readDroppedFiles(event.dataTransfer).then(latest.current)
    }
    const listening = new AbortController()
    const { signal } = listening
    page.addEventListener("dragover", onDragOver, { signal })
    page.addEventListener("dragleave", onDragLeave, { signal })
    page.addEventListener("drop", onDrop, { signal })
    return () => listening.abort()
  }, [page])

  if (!(isDragging && page)) return null
  // Fixed, because the page may be scrolled.
  const { top, left, width, height } = page.getBoundingClientRect()
  return createPortal(
    <div style={{ top, left, width, height }} className="pointer-events-none fixed z-20 flex p-2">
      <div className="flex flex-1 items-center justify-center rounded-lg border-2 border-dashed border-accent bg-accent-soft">
        <p className="flex items-center gap-2 text-lg font-semibold text-accent">
          <Paperclip aria-hidden className="size-5" />
          {t("composer.drop")}
        </p>
      </div>
    </div>,
    page,
  )
}
