import { ChevronDown, ChevronUp, Download, MoveHorizontal, ZoomIn, ZoomOut } from "lucide-react"
import { type KeyboardEvent, useEffect, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { IconButton } from "../../ui/button.tsx"
import { Input } from "../../ui/field.tsx"
import { Tooltip } from "../../ui/tooltip.tsx"

interface PdfToolbarProps {
  page: number
  count: number
  onPage: (page: number) => void
  onZoom: (factor: number) => void
  onFitWidth: () => void
  fitsWidth: boolean
  download: { url: string; name: string }
}

/** Change of the scale per step. */
export const zoomStep = 1.25

/** Shows the page being read; Enter goes to the number typed. */
const PageField = ({ page, count, onPage }: Pick<PdfToolbarProps, "page" | "count" | "onPage">) => {
  const [text, setText] = useState(String(page))
  useEffect(() => setText(String(page)), [page])
  const leave = (): void => setText(String(page))
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== "Enter") return
    event.preventDefault()
    if (/^\d+$/.test(text)) onPage(Number(text))
    else leave()
  }
  return (
    <span className="flex items-center gap-1.5 text-xs whitespace-nowrap text-muted tabular">
      <span className="w-14">
        <Input
          aria-label={t("pdf.pageNumber")}
          inputMode="numeric"
          autoComplete="off"
          value={text}
          maxLength={6}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={leave}
          onFocus={(event) => event.currentTarget.select()}
          className="text-center tabular"
        />
      </span>
      {t("pdf.of", { count })}
    </span>
  )
}

const DownloadButton = ({ url, name }: PdfToolbarProps["download"]) => (
  <Tooltip label={t("files.download")}>
    <a
      href={url}
      download={name}
      aria-label={t("files.download")}
      className="inline-flex size-8 shrink-0 items-center justify-center rounded text-muted transition-colors hover:bg-hover hover:text-text"
    >
      <Download aria-hidden className="size-4" />
    </a>
  </Tooltip>
)

export const PdfToolbar = (props: PdfToolbarProps) => {
  const { page, count, onPage, onZoom, onFitWidth, fitsWidth, download } = props
  return (
    <div
      role="toolbar"
      aria-label={t("pdf.toolbar")}
      className="flex flex-wrap items-center gap-x-0.5 border-b border-line bg-bg px-1.5 py-1"
    >
      <IconButton
        icon={ChevronUp}
        label={t("list.previous")}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      />
      <IconButton
        icon={ChevronDown}
        label={t("list.next")}
        disabled={page >= count}
        onClick={() => onPage(page + 1)}
      />
      <PageField page={page} count={count} onPage={onPage} />
      <span className="flex-1" />
      <IconButton icon={ZoomOut} label={t("action.zoomOut")} onClick={() => onZoom(1 / zoomStep)} />
      <IconButton icon={ZoomIn} label={t("action.zoomIn")} onClick={() => onZoom(zoomStep)} />
      <IconButton
        icon={MoveHorizontal}
        label={t("pdf.fitWidth")}
        aria-pressed={fitsWidth}
        onClick={onFitWidth}
      />
      <DownloadButton {...download} />
    </div>
  )
}
