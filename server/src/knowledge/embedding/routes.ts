import { json, route } from "../../http/route.ts"
import { EmbeddingStatus } from "./schema.ts"

/** `/api/v1/embedding-model`. */
export const embeddingModelRoutes = {
  status: route("get", "/api/v1/embedding-model", {
    access: "user",
    summary:
      "Get the embedding model used for semantic search; change it with the setting `embedding_model`",
    responses: {
      200: json(EmbeddingStatus, "The model and, for administrators, how it was chosen"),
    },
  }),
}
