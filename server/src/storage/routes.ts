import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { StorageUsage } from "./schema.ts"
import type { StorageQuota } from "./storage-quota.ts"

export const storageRoutes = (router: Router, storage: StorageQuota): Router => {
  router.on(
    route("user", {
      method: "get",
      path: "/",
      summary: "Get your storage usage and limit, in bytes",
      responses: { 200: json(StorageUsage, "Your limit, and usage by category") },
    }),
    ({ caller }) => storage.usage(caller.user.id),
  )
  return router
}
