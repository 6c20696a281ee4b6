import { Link } from "@tanstack/react-router"
import type { AuditEvent } from "../../../../server/src/audit/schema.ts"
import { type MessageKey, t } from "../../i18n/translate.ts"
import { Badge, Status } from "../../ui/badge.tsx"
import { type Column, NameCell, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"

const actorLabels: Record<string, MessageKey> = {
  user: "actor.user",
  key: "actor.key",
  scim: "actor.scim",
  system: "actor.system",
  anonymous: "actor.anonymous",
}

/** Display name of the actor. */
export const actorName = ({ actor_type, actor_name, actor_id }: AuditEvent): string => {
  const kind = actorLabels[actor_type]
  const named = actor_type === "user" || actor_type === "key"
  if (named) return actor_name ?? actor_id ?? t("actor.user")
  return kind ? t(kind) : actor_type
}

export const targetName = ({ target_type, target_id, target_name }: AuditEvent): string =>
  target_name ?? target_id ?? target_type ?? ""

export const OutcomeBadge = ({ event: { outcome, status } }: { event: AuditEvent }) =>
  outcome === "failure" ? (
    <Badge tone="danger">{status ?? t("audit.failure")}</Badge>
  ) : (
    <Status tone="ok">{t("audit.success")}</Status>
  )

const columns = (): Column<AuditEvent>[] => [
  { id: "at", header: t("audit.when"), cell: ({ at }) => <Time at={at} /> },
  {
    id: "action",
    header: t("audit.action"),
    grow: true,
    cell: (event) => (
      <NameCell note={targetName(event)}>
        <Link to="/admin/audit/$eventId" params={{ eventId: event.id }}>
          <code>{event.action}</code>
        </Link>
        {event.count > 1 && <span className="text-muted"> ×{event.count}</span>}
      </NameCell>
    ),
  },
  {
    id: "actor",
    header: t("audit.actor"),
    wideOnly: true,
    cell: (event) => (
      <span className="block max-w-56 truncate" title={actorName(event)}>
        {actorName(event)}
      </span>
    ),
  },
  {
    id: "address",
    header: t("audit.address"),
    wideOnly: true,
    cell: ({ address }) => <span className="tabular">{address ?? ""}</span>,
  },
  {
    id: "outcome",
    header: t("audit.outcome"),
    align: "right",
    cell: (event) => <OutcomeBadge event={event} />,
  },
]

export const AuditTable = ({ items }: { items: readonly AuditEvent[] }) => (
  <Table label={t("audit.title")} items={items} idOf={({ id }) => id} columns={columns()} />
)
