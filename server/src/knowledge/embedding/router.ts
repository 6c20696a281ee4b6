import type { Router } from "../../http/router.ts"
import type { EmbeddingStatusReader } from "./embedding-status.ts"
import type { ModelInstaller } from "./model-installer.ts"
import { embeddingModelRoutes } from "./routes.ts"

interface Deps {
  router: Router
  embeddingStatus: EmbeddingStatusReader
  modelInstaller: ModelInstaller
}

/** `/api/v1/embedding-model`. */
export const createEmbeddingModelRouter = ({
  router,
  embeddingStatus,
  modelInstaller,
}: Deps): Router => {
  router.on(embeddingModelRoutes.status, ({ caller }) => embeddingStatus.read(caller))
  router.on(embeddingModelRoutes.install, ({ actor, params }) =>
    modelInstaller.install(actor, params.name),
  )
  router.on(embeddingModelRoutes.remove, ({ actor, params }) =>
    modelInstaller.remove(actor, params.name),
  )
  return router
}
