import type { Router } from "../http/router.ts"
import { storageRoutes } from "./routes.ts"
import type { StorageQuota } from "./storage-quota.ts"

export const createStorageRouter = (router: Router, storage: StorageQuota): Router => {
  router.on(storageRoutes.usage, ({ caller }) => storage.usage(caller.user.id))
  return router
}
