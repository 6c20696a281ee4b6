import { queryOptions, useQuery } from "@tanstack/react-query"
import { type ReactNode, useMemo } from "react"
import type { Connection } from "../../../../server/src/connections/schema.ts"
import type { Overview } from "../../../../server/src/operations/overview.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { formatBytes, formatNumber } from "../../lib/format.ts"
import { connectionsQuery, usageQuery } from "../../lib/queries.ts"
import { Status } from "../../ui/badge.tsx"
import { ButtonLink } from "../../ui/button.tsx"
import { DefinitionList, Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Time } from "../../ui/time.tsx"
import { Attention } from "./attention.tsx"
import { DayChart } from "./day-chart.tsx"
import { UsageTotals } from "./usage-totals.tsx"

const refreshMs = 15_000
const daySeconds = 86_400

const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: ({ signal }) => api.get<Overview>("/api/v1/admin/overview", { signal }),
  refetchInterval: refreshMs,
})

/** The first page of the administration. */
export const OverviewPage = () => {
  const overview = useQuery(overviewQuery)
  const connections = useQuery(connectionsQuery)
  return (
    <Page title={t("overview.title")} lead={t("overview.lead")}>
      <QueryResult query={overview} rows={8}>
        {(data) => (
          <QueryResult query={connections} rows={8}>
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
      <WeekOfUsage />
    </Page>
  )
}

const statusRows = (
  overview: Overview,
  connections: readonly Connection[],
): [string, ReactNode][] => {
  const { database, disk, storage_failure, jobs, last_backup_at } = overview
  const used = connections.filter(({ health }) => health.status !== "disabled")
  const healthy = used.filter(({ health }) => health.status !== "resting").length
  const kind = database.kind === "sqlite" ? "SQLite" : "PostgreSQL"
  return [
    [
      t("overview.connections"),
      <Status key="connections" tone={healthy === used.length ? "ok" : "danger"}>
        {t("overview.connectionsHealthy", { healthy, count: used.length })}
      </Status>,
    ],
    [
      t("overview.database"),
      <Status key="database" tone={storage_failure === null ? "ok" : "danger"}>
        {kind}, {formatBytes(database.bytes)}
      </Status>,
    ],
    [t("overview.disk"), <DiskStatus key="disk" disk={disk} />],
    [
      t("overview.queue"),
      <Status key="queue" tone={jobs.retrying > 0 ? "warn" : "ok"}>
        {jobs.retrying > 0
          ? t("overview.retrying", { count: jobs.retrying })
          : t("overview.jobs", { count: jobs.waiting })}
      </Status>,
    ],
    [t("overview.backup"), <LastBackup key="backup" at={last_backup_at} kind={database.kind} />],
    [t("overview.users"), formatNumber(overview.users.total)],
    [t("overview.version"), `${overview.version} · Node ${overview.node_version}`],
    [t("overview.running"), <Time key="running" at={overview.started_at} />],
  ]
}

const DiskStatus = ({ disk }: Pick<Overview, "disk">) => {
  if (!disk) return t("overview.diskUnknown")
  const values = { free: formatBytes(disk.free_bytes), total: formatBytes(disk.total_bytes) }
  return <Status tone={disk.is_low ? "warn" : "ok"}>{t("overview.diskFree", values)}</Status>
}

const LastBackup = ({ at, kind }: { at: number | null; kind: Overview["database"]["kind"] }) => {
  if (kind === "postgres") return t("overview.backupExternal")
  return at === null ? <Status tone="warn">{t("overview.noBackup")}</Status> : <Time at={at} />
}

const WeekOfUsage = () => {
  const { from, to } = useMemo(() => {
    const end = (Math.floor(Date.now() / 1000 / daySeconds) + 1) * daySeconds
    return { from: end - 7 * daySeconds, to: end }
  }, [])
  const usage = useQuery(usageQuery({ from, to, group_by: "day" }))
  return (
    <Section
      title={t("overview.week")}
      action={<ButtonLink to="/admin/usage">{t("overview.allUsage")}</ButtonLink>}
    >
      <QueryResult query={usage} rows={5}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-sm text-muted">{t("overview.noUsage")}</p>
          ) : (
            <>
              <UsageTotals items={items} />
              <DayChart items={items} from={from} to={to} />
            </>
          )
        }
      </QueryResult>
    </Section>
  )
}
