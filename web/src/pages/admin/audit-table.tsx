import { Link } from "@tanstack/react-router"
import type { AuditEvent } from "../../../../server/src/audit/schema.ts"
import { t } from "../../i18n/translate.ts"
import { Badge, Status } from "../../ui/badge.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { groupAuditEvents } from "./audit-lines.ts"
import { type AuditLine, AuditSentence } from "./audit-sentence.tsx"

export const OutcomeBadge = ({ event: { outcome, status } }: { event: AuditEvent }) =>
  outcome === "failure" ? (
    <Badge tone="danger">{status ?? t("audit.failure")}</Badge>
  ) : (
    <Status tone="ok">{t("audit.success")}</Status>
  )

/** In narrow tables, only failures are in words. */
const Outcome = ({ event }: { event: AuditEvent }) =>
  event.outcome === "failure" ? (
    <OutcomeBadge event={event} />
  ) : (
    <Status tone="ok">
      <span className="sr-only">{t("audit.success")}</span>
      <span aria-hidden className="@max-[30rem]:hidden">
        {t("audit.success")}
      </span>
    </Status>
  )

const columns = (): Column<AuditLine>[] => [
  { id: "at", header: t("audit.when"), cell: ({ event }) => <Time at={event.at} /> },
  {
    id: "action",
    header: t("audit.event"),
    grow: "text",
    cell: (line) => (
      <Link
        to="/admin/audit/$eventId"
        params={{ eventId: line.event.id }}
        className="block min-w-0 hover:underline"
      >
        <span className="block break-words">
          <AuditSentence line={line} />
          {line.event.count > 1 && <span className="text-muted"> ×{line.event.count}</span>}
        </span>
        <code className="block truncate text-xs text-muted @max-[30rem]:hidden">
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
    cell: ({ event }) => <Outcome event={event} />,
  },
]

export const AuditTable = ({ items }: { items: readonly AuditEvent[] }) => (
  <Table
    label={t("audit.title")}
    items={groupAuditEvents(items)}
    idOf={({ event }) => event.id}
    columns={columns()}
  />
)
