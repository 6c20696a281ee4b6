import type { Database } from "../db/database.ts"
import { ById } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Audit } from "./audit.ts"
import { exportResponse } from "./export.ts"
import type { AuditReader } from "./reader.ts"
import { AuditEvent, AuditExportQuery, AuditPage, AuditQuery, AuditStatus } from "./schema.ts"

interface Deps {
  router: Router
  db: Database
  audit: Audit
  reader: AuditReader
  status: () => Promise<AuditStatus>
}

/** The trail can be read here, and nothing else: no route changes an event. */
export const auditRoutes = ({ router, db, audit, reader, status }: Deps): Router => {
  router.on(
    route("admin", {
      method: "get",
      path: "/",
      summary: "The audit trail, the latest first",
      query: AuditQuery,
      responses: { 200: json(AuditPage, "One page of events") },
    }),
    ({ query }) => reader.page(query),
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/export",
      summary: "The audit trail as a file: NDJSON or CSV, as large as it is",
      query: AuditExportQuery,
      responses: { 200: { description: "An event a line", contentType: "application/x-ndjson" } },
    }),
    async ({ actor, query, exchange }) => {
      await db.transact((tx) => audit.record(tx, { actor, action: "audit.exported" }))
      return exportResponse(reader, query, exchange)
    },
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/status",
      summary: "How far the trail is sealed, kept and sent on",
      responses: { 200: json(AuditStatus, "As it is now") },
    }),
    status,
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/:id",
      summary: "One event of the audit trail",
      params: ById,
      responses: { 200: json(AuditEvent, "The event"), 404: { description: "No such event" } },
    }),
    ({ params }) => reader.get(params.id),
  )
  return router
}
