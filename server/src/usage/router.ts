import type { Router } from "../http/router.ts"
import type { RecordQueue } from "./record-queue.ts"
import { usageRoutes } from "./routes.ts"
import type { UsageExport } from "./usage-export.ts"
import type { UsageReports } from "./usage-report.ts"

interface Deps {
  router: Router
  usageReports: UsageReports
  usageExport: UsageExport
  recordQueue: RecordQueue
}

export const createUsageRouter = ({
  router,
  usageReports,
  usageExport,
  recordQueue,
}: Deps): Router => {
  router.on(usageRoutes.list, async ({ caller: { user }, query }) => {
    const user_id = user.role === "admin" ? query.user_id : user.id
    const sums = await usageReports.sum({ ...query, user_id })
    return { ...sums, total: sums.items.length, dropped: recordQueue.dropped() }
  })
  router.on(usageRoutes.exportMonth, async ({ query, countReplyBytes }) => {
    const body = Buffer.from(await usageExport.month(query.month))
    countReplyBytes(body.length)
    return new Response(body, {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="usage-${query.month}.csv"`,
        "cache-control": "private, no-store",
      },
    })
  })
  return router
}
