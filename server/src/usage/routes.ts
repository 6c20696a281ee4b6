import { json, route } from "../http/route.ts"
import { UsageExportQuery, UsageQuery, UsageReport } from "./schema.ts"

export const usageRoutes = {
  list: route("get", "/api/v1/usage", {
    access: "user",
    summary:
      "Usage totals by hour, day, month, model, user, group, key, connection or outcome; users only see their own",
    query: UsageQuery,
    responses: { 200: json(UsageReport, "The totals, ordered by start and key") },
  }),
  exportMonth: route("get", "/api/v1/usage/export", {
    access: "admin",
    summary:
      "Export a month's usage as CSV, with a row for each user, group, key, model and connection",
    query: UsageExportQuery,
    responses: { 200: { description: "A file", contentType: "text/csv" } },
  }),
}
