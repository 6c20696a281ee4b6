import { json } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { EmbeddingStatus } from "./embedding-schema.ts"
import type { EmbeddingStatusReader } from "./embedding-status.ts"

/** `/api/v1/embedding-model`. */
export const embeddingModelRoutes = (router: Router, status: EmbeddingStatusReader): Router => {
  router.on("get", "/", {
    access: "user",
    summary:
      "Get the embedding model used for semantic search; change it with the setting `embedding_model`",
    responses: {
      200: json(EmbeddingStatus, "The model and, for administrators, how it was chosen"),
    },
    handle: ({ caller }) => status.read(caller),
  })
  return router
}
