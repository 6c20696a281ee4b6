import type { Router } from "../../http/router.ts"
import type { EmbeddingStatusReader } from "./embedding-status.ts"
import { embeddingModelRoutes } from "./routes.ts"

/** `/api/v1/embedding-model`. */
export const createEmbeddingModelRouter = (
  router: Router,
  status: EmbeddingStatusReader,
): Router => {
  router.on(embeddingModelRoutes.status, ({ caller }) => status.read(caller))
  return router
}
