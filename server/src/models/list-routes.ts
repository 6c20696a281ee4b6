import { z } from "zod"
import { json } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { ModelCatalogue } from "./catalogue.ts"
import { ModelList, ModelRecord } from "./schema.ts"

/** `GET /models` and `GET /models/{id}`, as in the OpenAI API. */
export const modelListRoutes = (router: Router, catalogue: ModelCatalogue): Router => {
  router.on("get", "/models", {
    access: "user",
    isAliased: true,
    summary: "List the models that you can use; long descriptions are truncated",
    responses: {
      200: json(ModelList, "The models, including the last known ones of unreachable connections"),
    },
    handle: ({ caller }) => ({ object: "list", data: catalogue.list(caller) }),
  })
  router.on("get", "/models/:id{.+}", {
    access: "user",
    isAliased: true,
    summary: "Get a model",
    params: z.object({ id: z.string() }),
    responses: { 200: json(ModelRecord, "The model"), 404: { description: "Model not found" } },
    handle: ({ caller, params }) => catalogue.get(caller, params.id),
  })
  return router
}
