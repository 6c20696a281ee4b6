import type { Router } from "../http/router.ts"
import type { RecordQueue } from "./record-queue.ts"
import { usageRoutes } from "./routes.ts"
import type { UsageReports } from "./usage-report.ts"

interface Deps {
  router: Router
  usageReports: UsageReports
  recordQueue: RecordQueue
}

export const createUsageRouter = ({ router, usageReports, recordQueue }: Deps): Router => {
  router.on(usageRoutes.list, async ({ caller: { user }, query }) => {
    const user_id = user.role === "admin" ? query.user_id : user.id
    const sums = await usageReports.sum({ ...query, user_id })
    return { ...sums, total: sums.items.length, dropped: recordQueue.dropped() }
  })
  return router
}
