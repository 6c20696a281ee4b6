import { Link } from "@tanstack/react-router"
import type { AuditEvent } from "../../../../server/src/audit/schema.ts"
import { t } from "../../i18n/translate.ts"
import { Badge, Status } from "../../ui/badge.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { type AuditLine, AuditSentence } from "./audit-sentence.tsx"
import { groupAuditEvents } from "./group-audit-events.ts"

export const OutcomeBadge = ({ event: { outcome, status } }: { event: AuditEvent }) =>
  outcome === "failure" ? (
    <Badge tone="danger">
      {t("label.failed")}
      {status !== null && ` (${status})`}
    </Badge>
  ) : (
    <Status tone="ok">{t("audit.success")}</Status>
  )

/** In narrow tables, a failure is below its time, as there is no column for outcomes. */
const When = ({ event }: { event: AuditEvent }) => (
  <>
    <Time at={event.at} />
    {event.outcome === "failure" && (
      <span className="block @min-[46rem]:hidden">
        <Badge tone="danger">{t("label.failed")}</Badge>
      </span>
    )}
  </>
)

const columns = (): Column<AuditLine>[] => [
  { id: "at", header: t("audit.when"), cell: When },
  {
    id: "action",
    header: t("label.event"),
    grow: "text",
    cell: (line) => (
      <Link
        to="/admin/audit/$eventId"
        params={{ eventId: line.event.id }}
        className="block min-w-0 hover:underline"
      >
        <span className="block break-words @max-[46rem]:line-clamp-2">
          <AuditSentence line={line} />
          {line.event.count > 1 && <span className="text-muted"> ×{line.event.count}</span>}
        </span>
        <code className="block truncate text-xs text-muted @max-[46rem]:hidden">
          {line.event.action}
        </code>
      </Link>
    ),
  },
  {
    id: "address",
    header: t("audit.address"),
    wideOnly: true,
    cell: ({ event }) => <span className="tabular">{event.address ?? ""}</span>,
  },
  {
    id: "outcome",
    header: t("audit.outcome"),
    align: "right",
    wideOnly: true,
    cell: ({ event }) => <OutcomeBadge event={event} />,
  },
]

export const AuditTable = ({ items }: { items: readonly AuditEvent[] }) => (
  <Table
    label={t("label.auditLog")}
    items={groupAuditEvents(items)}
    idOf={({ event }) => event.id}
    columns={columns()}
  />
)
