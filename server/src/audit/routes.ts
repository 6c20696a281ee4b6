import type { Database } from "../db/database.ts"
import { IdParams } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
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
  router.on(
    route("admin", {
      method: "get",
      path: "/",
      summary: "List audit events, newest first",
      query: AuditQuery,
      responses: { 200: json(AuditPage, "A page of events") },
    }),
    ({ query }) => reader.page(query),
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/export",
      summary: "Export the audit log as NDJSON or CSV",
      query: AuditExportQuery,
      responses: {
        200: { description: "One event per line", contentType: "application/x-ndjson" },
      },
    }),
    async ({ actor, query, exchange }) => {
      await db.transact((tx) => audit.record(tx, { actor, action: "audit.exported" }))
      return createExportResponse(reader, query, exchange)
    },
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/status",
      summary: "Get the status of sealing, retention and forwarding",
      responses: { 200: json(AuditStatus, "The current status") },
    }),
    status,
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/:id",
      summary: "Get an audit event",
      params: IdParams,
      responses: { 200: json(AuditEvent, "The event"), 404: { description: "No such event" } },
    }),
    ({ params }) => reader.get(params.id),
  )
  return router
}
