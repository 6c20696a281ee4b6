import { json } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { StorageUsage } from "./schema.ts"
import type { StorageQuota } from "./storage-quota.ts"

export const storageRoutes = (router: Router, storage: StorageQuota): Router => {
  router.on("get", "/", {
    access: "user",
    summary: "Get your storage usage and limit, in bytes",
    responses: { 200: json(StorageUsage, "Your limit, and usage by category") },
    handle: ({ caller }) => storage.usage(caller.user.id),
  })
  return router
}
