import { Dialog } from "@base-ui/react/dialog"
import { Download, Maximize, X, ZoomIn, ZoomOut } from "lucide-react"
import { type KeyboardEvent, type RefObject, useRef, useState } from "react"
import { t } from "../../../i18n/translate.ts"
import { Button, IconButton } from "../../../ui/button.tsx"
import { downloadPng, downloadSvg } from "./download-diagram.ts"

interface DiagramDialogProps {
  source: string
  /** The drawn diagram. */
  url: string
  /** Gets the focus back. */
  trigger: RefObject<HTMLElement | null>
  onClose: () => void
}

const downloads = [
  { format: "SVG", label: "markdown.downloadSvg", download: downloadSvg },
  { format: "PNG", label: "markdown.downloadPng", download: downloadPng },
] as const

const zoomStep = 1.25
const maxZoom = 8

/** A diagram over the whole page, to zoom in and to download. */
export const DiagramDialog = ({ source, url, trigger, onClose }: DiagramDialogProps) => {
  /** Width and height in relation to the window; 1 shows the whole diagram. */
  const [zoom, setZoom] = useState(1)
  const view = useRef<HTMLDivElement>(null)
  const changeZoom = (factor: number): void =>
    setZoom((last) => Math.min(Math.max(last * factor, 1), maxZoom))
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === "+" || key === "=") changeZoom(zoomStep)
    if (key === "-") changeZoom(1 / zoomStep)
    if (key === "0") setZoom(1)
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup
          initialFocus={view}
          finalFocus={trigger}
          onKeyDown={onKeyDown}
          className="fixed inset-4 z-50 flex flex-col rounded-lg border border-line bg-bg shadow-float"
        >
          <div className="flex flex-wrap items-center gap-1 justify-end border-b border-line px-2 py-1.5 wide:pl-4">
            <Dialog.Title className="flex-1 text-sm font-semibold max-wide:sr-only">
              {t("chat.diagram")}
            </Dialog.Title>
            {downloads.map(({ format, label, download }) => (
              <Button
                key={format}
                variant="quiet"
                icon={Download}
                aria-label={t(label)}
                onClick={() => void download(source)}
              >
                {format}
              </Button>
            ))}
            <IconButton
              icon={ZoomOut}
              label={t("action.zoomOut")}
              disabled={zoom <= 1}
              onClick={() => changeZoom(1 / zoomStep)}
            />
            <IconButton
              icon={ZoomIn}
              label={t("action.zoomIn")}
              disabled={zoom >= maxZoom}
              onClick={() => changeZoom(zoomStep)}
            />
            <IconButton icon={Maximize} label={t("markdown.fit")} onClick={() => setZoom(1)} />
            <Dialog.Close render={<IconButton icon={X} label={t("action.close")} />} />
          </div>
          {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
          {/* biome-ignore lint/a11y/useSemanticElements: a section would become a landmark */}
          <div
            ref={view}
            role="group"
            aria-label={t("chat.diagram")}
            tabIndex={0}
            className="min-h-0 flex-1 overflow-auto -outline-offset-2"
          >
            <img
              src={url}
              alt={t("chat.diagram")}
              className="max-w-none object-contain p-4"
              style={{ width: `${zoom * 100}%`, height: `${zoom * 100}%` }}
            />
          </div>
          {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: see above */}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
