import { json, route } from "../http/route.ts"
import { UsageQuery, UsageReport } from "./schema.ts"

export const usageRoutes = {
  list: route("get", "/api/v1/usage", {
    access: "user",
    summary:
      "Usage totals by hour, day, month, model, user, group, key, connection or outcome; users only see their own",
    query: UsageQuery,
    responses: { 200: json(UsageReport, "The totals, ordered by start and key") },
  }),
}
