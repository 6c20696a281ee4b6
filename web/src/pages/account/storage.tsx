import { useQuery } from "@tanstack/react-query"
import type { StorageBreakdown, StorageUsage } from "../../../../server/src/storage/schema.ts"
import { type MessageKey, t } from "../../i18n/translate.ts"
import { formatBytes, formatNumber } from "../../lib/format.ts"
import { storageQuery } from "../../lib/queries.ts"
import { classes } from "../../ui/classes.ts"
import { DefinitionList, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"

/** Share of the limit above which the bar shows a warning. */
const warnShare = 0.9

const labels: Record<keyof StorageBreakdown, MessageKey> = {
  files: "label.files",
  text: "storage.text",
  chats: "label.chats",
  images: "storage.images",
  models: "label.models",
  prompts: "storage.prompts",
  responses: "storage.responses",
  functions: "label.functions",
}
const parts = [
  "files",
  "text",
  "chats",
  "images",
  "models",
  "prompts",
  "responses",
  "functions",
] as const

/** The user's storage by type, and the limit. */
export const OwnStorage = () => {
  const usage = useQuery(storageQuery)
  return (
    <Section title={t("storage.title")}>
      <QueryResult query={usage} rows={3}>
        {(data) => <Usage usage={data} />}
      </QueryResult>
    </Section>
  )
}

const Usage = ({ usage }: { usage: StorageUsage }) => {
  const { used, limit, breakdown } = usage
  const rows = parts
    .filter((part) => breakdown[part] > 0)
    .sort((a, b) => breakdown[b] - breakdown[a])
    .map((part) => [t(labels[part]), formatBytes(breakdown[part])] as const)
  return (
    <div className="flex flex-col gap-3 tabular-nums">
      <div className="flex flex-col gap-1.5">
        <p className="flex flex-wrap justify-between gap-x-4 text-sm">
          <span>{t("storage.used", { used: formatBytes(used), limit: formatBytes(limit) })}</span>
          <span className="text-muted">{formatShare(used / limit)}</span>
        </p>
        <Bar usage={usage} />
      </div>
      {used > limit * warnShare && <p className="text-sm">{t("storage.nearlyFull")}</p>}
      {rows.length > 0 && <DefinitionList rows={rows} />}
    </div>
  )
}

const formatShare = (share: number): string => {
  const percent = share * 100
  return percent > 0 && percent < 1 ? "< 1 %" : `${formatNumber(percent)} %`
}

/** Repeats the text above it graphically. */
const Bar = ({ usage: { used, limit } }: { usage: StorageUsage }) => {
  const share = Math.min(1, used / limit)
  return (
    <div
      aria-hidden
      className="h-2 overflow-hidden rounded-full border border-line-strong bg-surface"
    >
      <div
        className={classes(
          "h-full",
          share < warnShare ? "bg-accent" : share < 1 ? "bg-warn" : "bg-danger",
        )}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  )
}
