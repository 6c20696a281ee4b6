import { RotateCw, X } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { formatBytes } from "../../lib/format.ts"
import type { Upload } from "../../lib/uploads.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { errorText } from "../../ui/error-note.tsx"

const maxShown = 8

interface UploadsProps {
  uploads: readonly Upload[]
  onRetry: (key: string) => void
  onCancel: (key: string) => void
}

/** Failed uploads first, then active ones, then those waiting. */
const order = { failed: 0, sending: 1, waiting: 2 } as const

const Row = ({ upload, onRetry, onCancel }: UploadRowProps) => {
  const { key, name, size, sent, state, error } = upload
  const failed = state === "failed"
  return (
    <li className="flex items-center gap-3 border-b border-line py-2 pr-1 pl-3 text-sm last:border-0">
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline justify-between gap-3">
          <span className="truncate">{name}</span>
          <span className="shrink-0 text-xs text-muted tabular">
            {state === "waiting" && t("files.state.pending")}
            {state === "sending" && `${formatBytes(sent)} / ${formatBytes(size)}`}
          </span>
        </span>
        {failed ? (
          <span role="alert" className="block break-words text-xs text-danger">
            {errorText(error)}
          </span>
        ) : (
          <progress
            aria-label={t("upload.progress", { name })}
            max={Math.max(size, 1)}
            value={sent}
            className="upload-bar mt-1 block h-1 w-full"
          />
        )}
      </span>
      <span className="flex shrink-0">
        {failed && (
          <IconButton
            icon={RotateCw}
            label={t("upload.retryOne", { name })}
            onClick={() => onRetry(key)}
          />
        )}
        <IconButton
          icon={X}
          label={t(failed ? "upload.forgetOne" : "upload.cancelOne", { name })}
          onClick={() => onCancel(key)}
        />
      </span>
    </li>
  )
}

interface UploadRowProps extends Omit<UploadsProps, "uploads"> {
  upload: Upload
}

/** Uploads in progress, with progress bars. */
export const UploadList = ({ uploads, onRetry, onCancel }: UploadsProps) => {
  if (uploads.length === 0) return null
  const sorted = uploads.toSorted((a, b) => order[a.state] - order[b.state])
  const unfinished = uploads.filter(({ state }) => state !== "failed")
  const more = uploads.length - maxShown
  return (
    <section aria-label={t("upload.title")} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p role="status" className="text-sm text-muted">
          {unfinished.length > 0 && t("state.uploading", { count: unfinished.length })}
        </p>
        {unfinished.length > 1 && (
          <Button icon={X} onClick={() => unfinished.map(({ key }) => onCancel(key))}>
            {t("upload.cancelAll")}
          </Button>
        )}
      </div>
      <ul className="rounded border border-line">
        {sorted.slice(0, maxShown).map((upload) => (
          <Row key={upload.key} upload={upload} onRetry={onRetry} onCancel={onCancel} />
        ))}
      </ul>
      {more > 0 && <p className="text-xs text-muted">{t("upload.more", { count: more })}</p>}
    </section>
  )
}
