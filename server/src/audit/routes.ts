import type { Database } from "../db/database.ts"
import { IdParams } from "../http/pagination.ts"
import { json } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Audit } from "./audit.ts"
import { createExportResponse } from "./export.ts"
import type { AuditReader } from "./reader.ts"
import { AuditEvent, AuditExportQuery, AuditPage, AuditQuery, AuditStatus } from "./schema.ts"

interface Deps {
  router: Router
  db: Database
  audit: Audit
  reader: AuditReader
  status: () => Promise<AuditStatus>
}

/** The audit log is read-only: no route changes an event. */
export const auditRoutes = ({ router, db, audit, reader, status }: Deps): Router => {
  router.on("get", "/", {
    access: "admin",
    summary: "List audit events, newest first",
    query: AuditQuery,
    responses: { 200: json(AuditPage, "A page of events") },
    handle: ({ query }) => reader.page(query),
  })
  router.on("get", "/export", {
    access: "admin",
    summary: "Export the audit log as NDJSON or CSV",
    query: AuditExportQuery,
    responses: {
      200: { description: "One event per line", contentType: "application/x-ndjson" },
    },
    handle: async ({ actor, query, exchange }) => {
      await audit.recordDurably(db, { actor, action: "audit.exported" })
      return createExportResponse(reader, query, exchange)
    },
  })
  router.on("get", "/status", {
    access: "admin",
    summary: "Get the status of sealing, retention and forwarding",
    responses: { 200: json(AuditStatus, "The current status") },
    handle: status,
  })
  router.on("get", "/:id", {
    access: "admin",
    summary: "Get an audit event",
    params: IdParams,
    responses: { 200: json(AuditEvent, "The event"), 404: { description: "No such event" } },
    handle: ({ params }) => reader.get(params.id),
  })
  return router
}
