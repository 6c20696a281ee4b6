import type { Router } from "../../http/router.ts"
import type { FilePassages } from "./file-passages.ts"
import { fileKnowledgeRoutes } from "./routes.ts"

/** The routes under `/api/v1/files/{id}/` for passages and collections. */
export const createFileKnowledgeRouter = (router: Router, filePassages: FilePassages): Router => {
  router.on(fileKnowledgeRoutes.passages, ({ caller, params, query }) =>
    filePassages.passages(caller, params.id, query),
  )

  router.on(fileKnowledgeRoutes.locate, ({ caller, params, body }) =>
    filePassages.locate(caller, params.id, body),
  )

  router.on(fileKnowledgeRoutes.outline, ({ caller, params }) =>
    filePassages.outline(caller, params.id),
  )

  router.on(fileKnowledgeRoutes.collections, ({ caller, params }) =>
    filePassages.usedIn(caller, params.id),
  )
  return router
}
