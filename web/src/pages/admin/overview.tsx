import { queryOptions, useQuery } from "@tanstack/react-query"
import { type ReactNode, useMemo } from "react"
import type { ConnectionView } from "../../../../server/src/connections/schema.ts"
import type { Overview } from "../../../../server/src/monitoring/overview-routes.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { formatBytes, formatNumber } from "../../lib/format.ts"
import { connectionsQuery, usageQuery } from "../../lib/queries.ts"
import { lastDays } from "../../lib/utc-days.ts"
import { Status } from "../../ui/badge.tsx"
import { ButtonLink } from "../../ui/button.tsx"
import { DefinitionList, Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { SkeletonBlock } from "../../ui/skeleton.tsx"
import { Time } from "../../ui/time.tsx"
import { UsageSummary } from "../usage/usage-summary.tsx"
import { Attention } from "./attention.tsx"

const refreshMs = 15_000

const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: ({ signal }) => api.get("/api/v1/admin/overview", { signal }),
  refetchInterval: refreshMs,
})

/** The first page of the administration. */
export const OverviewPage = () => {
  const overview = useQuery(overviewQuery)
  const connections = useQuery(connectionsQuery)
  const { from, to } = useMemo(() => lastDays(7), [])
  const usage = useQuery(usageQuery({ from, to, group_by: "none", interval: "day" }))
  // All of it appears at once, so that no part moves another.
  const isPending = overview.isPending || connections.isPending || usage.isPending
  return (
    <Page title={t("overview.title")} lead={t("overview.lead")}>
      {isPending ? (
        <OverviewSkeleton />
      ) : (
        <>
          <QueryResult query={overview}>
            {(data) => (
              <QueryResult query={connections}>
                {(items) => (
                  <>
                    <Attention overview={data} connections={items} />
                    <Section title={t("overview.status")}>
                      <DefinitionList rows={statusRows(data, items)} />
                    </Section>
                  </>
                )}
              </QueryResult>
            )}
          </QueryResult>
          <Week>
            <QueryResult query={usage}>
              {({ items }) =>
                items.length === 0 ? (
                  <p className="text-sm text-muted">{t("overview.noUsage")}</p>
                ) : (
                  <UsageSummary items={items} from={from} to={to} />
                )
              }
            </QueryResult>
          </Week>
        </>
      )}
    </Page>
  )
}

/** The page's layout with one item that needs attention. */
const OverviewSkeleton = () => (
  <div role="status" aria-label={t("state.loading")} className="flex flex-col gap-5">
    <Section title={t("overview.attention")}>
      <SkeletonBlock className="h-15.5" />
    </Section>
    <Section title={t("overview.status")}>
      <DefinitionList
        rows={statusLabels.map((label) => [
          t(label),
          <SkeletonBlock key={label} className="w-40" />,
        ])}
      />
    </Section>
    <Week>
      <SkeletonBlock className="h-25 wide:h-12" />
      <SkeletonBlock className="h-67" />
    </Week>
  </div>
)

const Week = ({ children }: { children: ReactNode }) => (
  <Section
    title={t("overview.week")}
    action={<ButtonLink to="/admin/usage">{t("overview.allUsage")}</ButtonLink>}
  >
    {children}
  </Section>
)

const statusLabels = [
  "label.connections",
  "overview.database",
  "overview.disk",
  "overview.queue",
  "overview.backup",
  "label.users",
  "overview.version",
  "overview.running",
] as const

const statusRows = (
  overview: Overview,
  connections: readonly ConnectionView[],
): [string, ReactNode][] => {
  const { database, disk, storage_failure, jobs, last_backup_at } = overview
  const { rereading } = overview.files
  const used = connections.filter(({ health }) => health.status !== "disabled")
  const healthy = used.filter(({ health }) => health.status !== "resting").length
  const kind = database.kind === "sqlite" ? "SQLite" : "PostgreSQL"
  const values: Record<(typeof statusLabels)[number], ReactNode> = {
    "label.connections": (
      <Status tone={healthy === used.length ? "ok" : "danger"}>
        {t("overview.connectionsHealthy", { healthy, count: used.length })}
      </Status>
    ),
    "overview.database": (
      <Status tone={storage_failure === null ? "ok" : "danger"}>
        {kind}, {formatBytes(database.bytes)}
      </Status>
    ),
    "overview.disk": <DiskStatus disk={disk} />,
    "overview.queue": (
      <>
        <Status tone={jobs.retrying > 0 ? "warn" : "ok"}>
          {jobs.retrying > 0
            ? t("overview.retrying", { count: jobs.retrying })
            : t("overview.jobs", { count: jobs.waiting })}
        </Status>
        {rereading && (
          <span className="block text-xs text-muted tabular">
            {t("overview.rereading", {
              done: formatNumber(rereading.done),
              total: formatNumber(rereading.total),
            })}
          </span>
        )}
      </>
    ),
    "overview.backup": <LastBackup at={last_backup_at} kind={database.kind} />,
    "label.users": formatNumber(overview.users.total),
    "overview.version": `${overview.version} · Node ${overview.node_version}`,
    "overview.running": <Time at={overview.started_at} />,
  }
  return statusLabels.map((label) => [t(label), values[label]])
}

const DiskStatus = ({ disk }: Pick<Overview, "disk">) => {
  if (!disk) return t("overview.diskUnknown")
  const values = { free: formatBytes(disk.free_bytes), total: formatBytes(disk.total_bytes) }
  return <Status tone={disk.is_low ? "warn" : "ok"}>{t("overview.diskFree", values)}</Status>
}

const LastBackup = ({ at, kind }: { at: number | null; kind: Overview["database"]["kind"] }) => {
  if (kind === "postgres") return t("overview.backupExternal")
  return at === null ? <Status tone="warn">{t("state.never")}</Status> : <Time at={at} />
}
