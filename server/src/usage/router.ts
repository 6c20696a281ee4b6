import type { Router } from "../http/router.ts"
import type { RecordQueue } from "./record-queue.ts"
import { usageRoutes } from "./routes.ts"
import { defaultSpanSeconds } from "./schema.ts"
import type { UsageStore } from "./store.ts"

interface Deps {
  router: Router
  store: UsageStore
  recordQueue: RecordQueue
  now: () => number
}

export const createUsageRouter = ({ router, store, recordQueue, now }: Deps): Router => {
  router.on(usageRoutes.list, async ({ caller: { user }, query }) => {
    const to = query.to ?? now() + 1
    const from = query.from ?? to - defaultSpanSeconds
    const user_id = user.role === "admin" ? query.user_id : user.id
    const items = await store.sumUsage({ ...query, from, to, user_id })
    return { from, to, items, total: items.length, dropped: recordQueue.dropped() }
  })
  return router
}
