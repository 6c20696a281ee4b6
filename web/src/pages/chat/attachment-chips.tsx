import { useMutation } from "@tanstack/react-query"
import { FileText, Library, LoaderCircle, RotateCw, TriangleAlert, X } from "lucide-react"
import type { ReactNode } from "react"
import { t } from "../../i18n/translate.ts"
import { fileApi } from "../../lib/knowledge-api.ts"
import type { Upload, useUploads } from "../../lib/uploads.ts"
import { IconButton } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { errorText } from "../../ui/error-note.tsx"
import { WarningText } from "../knowledge/file-warnings.tsx"
import type { Attachment, DraftAttachment } from "./attachments.ts"

interface ChipProps {
  icon: ReactNode
  name: string
  note?: string | undefined
  /** Error message to show. */
  error?: string | null
  /** What was not read of the file. */
  warning?: string | null
  onRetry?: (() => void) | undefined
  removeLabel: string
  onRemove: () => void
}

const Chip = ({ icon, name, note, error, warning, onRetry, ...removal }: ChipProps) => (
  <li
    className={classes(
      "flex max-w-full min-w-0 items-center gap-1.5 rounded border pl-2 text-xs [&_svg]:size-3.5 [&_svg]:shrink-0",
      error ? "border-danger/50 bg-danger-soft" : "border-line bg-surface",
    )}
  >
    {icon}
    <span className="min-w-0 py-1">
      <span className="block truncate">{name}</span>
      {error && (
        <span role="alert" className="block break-words text-danger">
          {error}
        </span>
      )}
      {warning && !error && <WarningText text={warning} className="text-muted" />}
    </span>
    {note && <span className="whitespace-nowrap text-muted tabular">{note}</span>}
    <span className="flex shrink-0">
      {onRetry && (
        <IconButton
          icon={RotateCw}
          label={t("upload.retryOne", { name })}
          onClick={onRetry}
          className="size-7!"
        />
      )}
      <IconButton
        icon={X}
        label={removal.removeLabel}
        onClick={removal.onRemove}
        className="size-7!"
      />
    </span>
  </li>
)

const iconOf = ({ type, state }: Pick<DraftAttachment, "type" | "state">): ReactNode => {
  if (state === "failed" || state === "gone") {
    return <TriangleAlert aria-hidden className="text-danger" />
  }
  if (state === "reading") return <LoaderCircle aria-hidden className="animate-spin text-muted" />
  const Icon = type === "file" ? FileText : Library
  return <Icon aria-hidden className="text-muted" />
}

const progressText = ({ state, sent, size }: Upload): string => {
  if (state === "waiting") return t("files.state.pending")
  return `${Math.floor((sent / Math.max(size, 1)) * 100)} %`
}

const AttachedChip = ({ one, onRemove }: { one: DraftAttachment; onRemove: () => void }) => {
  const retry = useMutation({ mutationFn: () => fileApi.reprocess(one.id) })
  return (
    <Chip
      icon={iconOf(one)}
      name={one.name}
      note={one.state === "reading" ? t("files.state.processing") : undefined}
      error={retry.error ? errorText(retry.error) : one.error}
      warning={one.warning}
      onRetry={one.state === "failed" ? () => retry.mutate() : undefined}
      removeLabel={t("action.removeOne", { name: one.name })}
      onRemove={onRemove}
    />
  )
}

interface ChipsProps {
  attached: readonly DraftAttachment[]
  uploads: ReturnType<typeof useUploads>
  onRemove: (one: Attachment) => void
}

/** The files attached to the draft, and the uploads in progress. */
export const AttachmentChips = ({ attached, uploads, onRemove }: ChipsProps) => (
  <ul aria-label={t("attach.about")} className="flex flex-wrap gap-1.5 px-3 pt-3">
    {attached.map((one) => (
      <AttachedChip key={`${one.type} ${one.id}`} one={one} onRemove={() => onRemove(one)} />
    ))}
    {uploads.uploads.map((upload) => {
      const { key, name, state, error } = upload
      const failed = state === "failed"
      return (
        <Chip
          key={key}
          icon={iconOf({ type: "file", state: failed ? "failed" : "reading" })}
          name={name}
          note={failed ? undefined : progressText(upload)}
          error={failed ? errorText(error) : null}
          onRetry={failed ? () => uploads.retry(key) : undefined}
          removeLabel={t(failed ? "action.removeOne" : "upload.cancelOne", { name })}
          onRemove={() => uploads.cancel(key)}
        />
      )
    })}
  </ul>
)
