import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { ArrowDown, ArrowUp, Cable } from "lucide-react"
import type { ConnectionView } from "../../../../server/src/connections/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { toOnePage } from "../../lib/list-result.ts"
import { connectionsQuery } from "../../lib/queries.ts"
import { Badge } from "../../ui/badge.tsx"
import { IconButton } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { ErrorNote } from "../../ui/error-note.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { type Column, NameCell } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { ProviderLabel } from "./connection-form.tsx"
import { HealthError, HealthStatus } from "./connection-health.tsx"

/** Moves a connection by `step` and returns the connections whose `position` must be saved. */
const reorder = (items: readonly ConnectionView[], id: string, step: number) => {
  const own = ownOf(items)
  const from = own.findIndex((connection) => connection.id === id)
  const [taken] = own.splice(from, 1)
  if (taken) own.splice(from + step, 0, taken)
  return own
    .map((connection, index) => ({ connection, position: (index + 1) * 10 }))
    .filter(({ connection, position }) => connection.position !== position)
}

export const ConnectionsPage = () => {
  const client = useQueryClient()
  const connections = useQuery(connectionsQuery)
  const move = useMutation({
    mutationFn: async ({ id, step }: { id: string; step: number }) => {
      for (const { connection, position } of reorder(connections.data ?? [], id, step)) {
        await api.post("/api/v1/connections/:id/update", {
          params: { id: connection.id },
          body: { position },
        })
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["connections"] }),
  })
  return (
    <ListPage
      title={t("label.connections")}
      lead={t("connections.lead")}
      result={toOnePage(connections)}
      create={{ to: "/admin/connections/new", label: t("connections.add") }}
      notice={move.error && <ErrorNote error={move.error} />}
      icon={Cable}
      none={{ title: t("connections.none"), help: t("connections.noneHelp") }}
      columns={columns(connections.data ?? [], (id, step) => move.mutate({ id, step }))}
    />
  )
}

type Move = (id: string, step: number) => void

const columns = (items: readonly ConnectionView[], onMove: Move): Column<ConnectionView>[] => [
  {
    id: "name",
    header: t("label.name"),
    grow: true,
    cell: ({ id, name, base_url, source }) => (
      <NameCell detail={base_url}>
        <Link to="/admin/connections/$connectionId" params={{ connectionId: id }}>
          {name}
        </Link>{" "}
        {source === "environment" && (
          <span className="@max-[30rem]:hidden">
            <Badge>{t("connections.fixed")}</Badge>
          </span>
        )}
      </NameCell>
    ),
  },
  {
    id: "kind",
    header: t("label.type"),
    wideOnly: true,
    cell: ({ kind }) => <ProviderLabel kind={kind} />,
  },
  {
    id: "health",
    header: t("connections.health"),
    cell: ({ health }) => (
      <div
        className={classes(
          "max-w-72 text-xs whitespace-normal",
          health.status === "resting" ? "min-w-24 @min-[30rem]:min-w-64" : "min-w-24",
        )}
      >
        <span className="text-sm">
          <HealthStatus health={health} />
        </span>
        {health.status !== "healthy" && (
          // In narrow tables, only the connection's own page has space for it.
          <div className="@max-[30rem]:hidden">
            <HealthError health={health} />
          </div>
        )}
      </div>
    ),
  },
  {
    id: "models",
    header: t("label.models"),
    align: "right",
    wideOnly: true,
    cell: ({ health }) => health.models,
  },
  {
    id: "answered",
    header: t("connections.answered"),
    wideOnly: true,
    cell: ({ health }) => <Time at={health.last_ok_at} />,
  },
  ...(ownOf(items).length > 1 ? [orderColumn(ownOf(items), onMove)] : []),
]

/** Connections that can be moved. */
const ownOf = (items: readonly ConnectionView[]): ConnectionView[] =>
  items.filter(({ source }) => source === "database")

const orderColumn = (own: readonly ConnectionView[], onMove: Move): Column<ConnectionView> => ({
  id: "order",
  header: t("label.order"),
  wideOnly: true,
  cell: (connection) => {
    const { id, name } = connection
    const at = own.indexOf(connection)
    if (at < 0) return null
    return (
      <div className="flex">
        <IconButton
          icon={ArrowUp}
          label={t("connections.up", { name })}
          disabled={at === 0}
          onClick={() => onMove(id, -1)}
        />
        <IconButton
          icon={ArrowDown}
          label={t("connections.down", { name })}
          disabled={at === own.length - 1}
          onClick={() => onMove(id, 1)}
        />
      </div>
    )
  },
})
