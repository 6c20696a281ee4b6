import { json } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { RecordQueue } from "./record-queue.ts"
import { defaultSpanSeconds, UsageQuery, UsageReport } from "./schema.ts"
import type { UsageStore } from "./store.ts"

interface Deps {
  router: Router
  store: UsageStore
  recordQueue: RecordQueue
  now: () => number
}

export const usageRoutes = ({ router, store, recordQueue, now }: Deps): Router => {
  router.on("get", "/", {
    access: "user",
    summary: "Usage totals by day, model, user, key or connection; users only see their own",
    query: UsageQuery,
    responses: { 200: json(UsageReport, "The totals, ordered by key") },
    handle: async ({ caller: { user }, query }) => {
      const to = query.to ?? now() + 1
      const from = query.from ?? to - defaultSpanSeconds
      const user_id = user.role === "admin" ? query.user_id : user.id
      const items = await store.sumUsage({ ...query, from, to, user_id })
      return { from, to, items, total: items.length, dropped: recordQueue.dropped() }
    },
  })
  return router
}
