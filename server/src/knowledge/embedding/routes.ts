import { z } from "zod"
import { InUseError } from "../../http/in-use.ts"
import { json, route } from "../../http/route.ts"
import { EmbeddingStatus, ModelInstallationStatus } from "./schema.ts"

/** Name of an installable model. */
const Name = z.object({ name: z.string().max(100) })

const notFound = { description: "No installable model has this name" }

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
  install: route("post", "/api/v1/embedding-model/installations/:name", {
    access: "admin",
    grantsPrivileges: true,
    summary:
      "Start to download and install an embedding model that the gateway runs itself; its progress is part of `GET /api/v1/embedding-model`",
    params: Name,
    responses: {
      202: json(ModelInstallationStatus, "The model; unchanged if it is installed already"),
      404: notFound,
    },
  }),
  remove: route("delete", "/api/v1/embedding-model/installations/:name", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Remove an installed embedding model, or cancel its installation",
    params: Name,
    responses: {
      200: json(ModelInstallationStatus, "The model"),
      404: notFound,
      409: json(InUseError, "Error `in_use`: semantic search uses the model"),
    },
  }),
}
