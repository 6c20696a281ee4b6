import type { Database } from "../db/database.ts"
import type { Router } from "../http/router.ts"
import type { Audit } from "./audit.ts"
import { createExportResponse } from "./export-response.ts"
import type { AuditReader } from "./reader.ts"
import { auditRoutes } from "./routes.ts"
import type { AuditStatus } from "./schema.ts"

interface Deps {
  router: Router
  db: Database
  audit: Audit
  reader: AuditReader
  status: () => Promise<AuditStatus>
}

/** The audit log is read-only: no route changes an event. */
export const createAuditRouter = ({ router, db, audit, reader, status }: Deps): Router => {
  router.on(auditRoutes.list, ({ query }) => reader.page(query))
  router.on(auditRoutes.export, async ({ actor, query, context }) => {
    await audit.recordDurably(db, { actor, action: "audit.exported" })
    return createExportResponse(reader, query, context)
  })
  router.on(auditRoutes.status, status)
  router.on(auditRoutes.get, ({ params }) => reader.get(params.id))
  return router
}
