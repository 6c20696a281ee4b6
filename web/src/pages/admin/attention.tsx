import { CircleCheck, TriangleAlert } from "lucide-react"
import type { ReactNode } from "react"
import type { ConnectionView } from "../../../../server/src/connections/schema.ts"
import type { Overview } from "../../../../server/src/monitoring/overview-routes.ts"
import { t, translateServerText } from "../../i18n/translate.ts"
import { formatBytes, formatDate } from "../../lib/format.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { Section } from "../../ui/page.tsx"

interface AttentionItem {
  id: string
  text: string
  /** Details, such as a provider's error. */
  note?: string | null
  /** What solves it on the server, for what cannot be solved in this app. */
  command?: string
  /** Where it is solved. */
  link?: ReactNode
}

const maxBackupAgeSeconds = 7 * 86_400

const storageItems = ({ disk, storage_failure, storage_failure_reference }: Overview) => [
  storage_failure !== null && {
    id: "storage",
    text: t("overview.storageFails", {
      problem: translateServerText(storage_failure, storage_failure_reference),
    }),
  },
  disk?.is_low && {
    id: "disk",
    text: t("overview.diskLow", { free: formatBytes(disk.free_bytes) }),
    link: <ButtonLink to="/knowledge/files">{t("overview.showFiles")}</ButtonLink>,
  },
]

const reloadItems = ({ failed_reloads }: Overview): AttentionItem[] =>
  failed_reloads.map(({ part, error }) => ({
    id: `reload ${part}`,
    text: t(`overview.reloadFails.${part}`),
    note: error,
  }))

const backupItems = ({ backup_command, last_backup_at }: Overview): AttentionItem[] => {
  if (backup_command === null) return []
  const item = { id: "backup", command: backup_command }
  if (last_backup_at === null) return [{ ...item, text: t("overview.backupMissing") }]
  const isOld = Date.now() / 1000 - last_backup_at > maxBackupAgeSeconds
  return isOld ? [{ ...item, text: t("overview.backupOld") }] : []
}

const connectionItems = (connections: readonly ConnectionView[]): AttentionItem[] => {
  if (connections.length === 0) {
    const link = <ButtonLink to="/connect">{t("action.connectModels")}</ButtonLink>
    return [{ id: "connect", text: t("overview.noConnection"), link }]
  }
  return connections
    .filter(({ health }) => health.status === "resting")
    .map(({ id, name, health }) => ({
      id,
      text: t("overview.connectionFails", { name }),
      note:
        health.last_error && translateServerText(health.last_error, health.last_error_reference),
      link: (
        <ButtonLink to="/admin/connections/$connectionId" params={{ connectionId: id }}>
          {t("overview.openConnection")}
        </ButtonLink>
      ),
    }))
}

const fileItems = ({ files, jobs }: Overview) => [
  files.failed > 0 && {
    id: "files",
    text: t("overview.failedFiles", { count: files.failed }),
    link: (
      <ButtonLink to="/knowledge/files" search={{ status: "failed" }}>
        {t("overview.showFiles")}
      </ButtonLink>
    ),
  },
  jobs.retrying > 0 && {
    id: "jobs",
    text: t("overview.failedJobs", { count: jobs.retrying }),
    link: <ButtonLink to="/knowledge/files">{t("overview.showFiles")}</ButtonLink>,
  },
]

const limitItems = ({ limits }: Overview) => {
  const link = <ButtonLink to="/admin/limits">{t("overview.showLimits")}</ButtonLink>
  return [
    limits.reached > 0 && {
      id: "limits reached",
      text: t("overview.limitsReached", { count: limits.reached }),
      link,
    },
    limits.nearly > 0 && {
      id: "limits nearly",
      text: t("overview.limitsNearly", { count: limits.nearly }),
      link,
    },
  ]
}

const peopleItems = ({ users, expiring_keys }: Overview) => [
  users.pending > 0 && {
    id: "pending",
    text: t("overview.pending", { count: users.pending }),
    link: (
      <ButtonLink to="/admin/users" search={{ role: "pending" }}>
        {t("overview.review")}
      </ButtonLink>
    ),
  },
  ...expiring_keys.map(({ name, user_id, group_id, owner, expires_at }) => ({
    id: `key ${user_id ?? group_id} ${name} ${expires_at}`,
    text: t("overview.keyExpires", { name, owner, date: formatDate(expires_at) }),
    link: (
      <ButtonLink to="/admin/keys" search={{ query: name }}>
        {t("overview.openKeys")}
      </ButtonLink>
    ),
  })),
]

interface AttentionProps {
  overview: Overview
  connections: readonly ConnectionView[]
}

/** What an administrator should look at, each with what solves it. */
export const Attention = ({ overview, connections }: AttentionProps) => {
  const candidates: (AttentionItem | false | undefined)[] = [
    ...storageItems(overview),
    ...reloadItems(overview),
    ...connectionItems(connections),
    ...limitItems(overview),
    ...peopleItems(overview),
    ...fileItems(overview),
    ...backupItems(overview),
  ]
  const items = candidates.filter((item) => item !== false && item !== undefined)
  return (
    <Section title={t("overview.attention")}>
      {items.length === 0 && (
        <p className="flex items-center gap-2 text-sm">
          <CircleCheck aria-hidden className="size-4 shrink-0 text-ok" />
          {t("overview.allWell")}
        </p>
      )}
      {items.length > 0 && (
        <ul className="divide-y divide-line rounded border border-line">
          {items.map(({ id, text, note, command, link }) => (
            <li key={id} className="flex items-center gap-3 px-4 py-3 text-sm">
              <TriangleAlert aria-hidden className="size-4 shrink-0 text-warn" />
              <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-2">
                <div className="min-w-0 flex-1 basis-56 break-words">
                  {text}
                  {note && <p className="text-xs text-muted">{note}</p>}
                  {command && (
                    <code title={command} className="block truncate text-xs text-muted">
                      {command}
                    </code>
                  )}
                </div>
                {command && (
                  <CopyButton text={command} label={t("overview.copyCommand")} hasLabel />
                )}
                {link}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
