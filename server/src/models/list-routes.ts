import { z } from "zod"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Catalogue } from "./catalogue.ts"
import { ModelList, ModelRecord } from "./schema.ts"

/** `GET /models` and `GET /models/{id}`, as the OpenAI API has them. */
export const modelListRoutes = (router: Router, catalogue: Catalogue): Router => {
  router.on(
    route("user", {
      method: "get",
      path: "/models",
      isAliased: true,
      summary: "The models that one may use; long descriptions are cut off",
      responses: { 200: json(ModelList, "From memory; a dead connection's last known models too") },
    }),
    ({ caller }) => ({ object: "list", data: catalogue.list(caller) }),
  )
  router.on(
    route("user", {
      method: "get",
      // Ids may hold slashes.
      path: "/models/:id{.+}",
      isAliased: true,
      summary: "One model",
      params: z.object({ id: z.string() }),
      responses: { 200: json(ModelRecord, "The model"), 404: { description: "No such model" } },
    }),
    ({ caller, params }) => catalogue.get(caller, params.id),
  )
  return router
}
