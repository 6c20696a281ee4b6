import type { FileStatus } from "../../../../server/src/files/schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatNumber } from "../../lib/format.ts"
import type { FileCounts, FileRecord } from "../../lib/knowledge-api.ts"
import { Status } from "../../ui/badge.tsx"

type Data = FileRecord["data"]

const tones = {
  stored: "plain",
  pending: "plain",
  processing: "warn",
  completed: "ok",
  failed: "danger",
} as const satisfies Record<FileStatus, string>

const stateLabel = (status: FileStatus): string => t(`files.state.${status}`)

/** "3 of 40 passages" */
export const describeProgress = (embedded: number, passages: number): string =>
  t("files.embedding", { done: formatNumber(embedded), all: formatNumber(passages) })

/** The progress while the passages are being embedded. */
const progressOf = ({ status, embedding, progress }: Data): string | null => {
  const { passages, embedded } = progress
  if (status !== "completed" || embedding !== "pending" || passages === null) return null
  return describeProgress(embedded, passages)
}

/** A file's processing state, with its progress if known. */
export const FileState = ({ data }: { data: Data }) => {
  const progress = progressOf(data)
  return (
    <span className="inline-flex flex-col">
      <Status tone={progress ? "ok" : tones[data.status]}>
        {progress ? t("files.state.searchable") : stateLabel(data.status)}
      </Status>
      {progress && <span className="text-xs text-muted tabular">{progress}</span>}
    </span>
  )
}

/** Filters a list of files by state. */
export const statusFilter = (statuses: readonly FileStatus[]) => ({
  name: "status" as const,
  label: t("label.status"),
  options: [
    { value: "", label: t("label.anyStatus") },
    ...statuses.map((value) => ({ value, label: stateLabel(value) })),
  ],
})

/** Numbers of failed and unprocessed files in a collection. */
export const countUnread = ({ pending, processing, failed }: FileCounts) => ({
  failed,
  reading: pending + processing,
})

/** The state of a whole collection. */
export const CollectionState = ({ counts }: { counts: FileCounts }) => {
  const { failed, reading } = countUnread(counts)
  if (counts.total === 0) return <Status tone="plain">{t("knowledge.empty")}</Status>
  if (failed > 0) return <Status tone="danger">{t("knowledge.failed", { count: failed })}</Status>
  if (reading > 0) {
    return <Status tone="warn">{t("knowledge.reading", { count: reading })}</Status>
  }
  return <Status tone="ok">{t("label.ready")}</Status>
}
