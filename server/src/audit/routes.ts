import { IdParams } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import { AuditEvent, AuditExportQuery, AuditPage, AuditQuery, AuditStatus } from "./schema.ts"

/** The audit log is read-only: no route changes an event. */
export const auditRoutes = {
  list: route("get", "/api/v1/audit", {
    access: "admin",
    summary: "List audit events, newest first",
    query: AuditQuery,
    responses: { 200: json(AuditPage, "A page of events") },
  }),
  export: route("get", "/api/v1/audit/export", {
    access: "admin",
    summary: "Export the audit log as NDJSON or CSV",
    query: AuditExportQuery,
    responses: {
      200: { description: "One event per line", contentType: "application/x-ndjson" },
    },
  }),
  status: route("get", "/api/v1/audit/status", {
    access: "admin",
    summary: "Get the status of sealing, retention and forwarding",
    responses: { 200: json(AuditStatus, "The current status") },
  }),
  get: route("get", "/api/v1/audit/:id", {
    access: "admin",
    summary: "Get an audit event",
    params: IdParams,
    responses: { 200: json(AuditEvent, "The event"), 404: { description: "No such event" } },
  }),
}
