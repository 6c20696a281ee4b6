import { z } from "zod"
import { givesGrants } from "../grants/schema.ts"
import type { Credential } from "../http/caller.ts"
import { Done, done, Page } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { textStream } from "../http/stream-response.ts"
import type { Models } from "./models.ts"
import {
  ModelChanges,
  ModelExport,
  ModelImport,
  ModelImported,
  ModelListItem,
  ModelListQuery,
  NewModel,
  WorkspaceModel,
} from "./schema.ts"

const Which = z.object({ id: z.string().min(1) })
const unknown = { description: "No such model, or none that you may see" }
const notYours = { description: "You may use it, not change it" }

/** What a model stands for is what a key's list of models names: such a key may not change it. */
const changesWhatAnswers = (_body: unknown, { allowed_models }: Credential): boolean =>
  allowed_models !== null

const givesAuthority = (body: z.output<typeof ModelChanges>, credential: Credential): boolean =>
  givesGrants(body) || changesWhatAnswers(body, credential)

/** As `ModelExport`, in pieces: all models together may be larger than memory. */
const exportOf = async function* (models: AsyncIterable<WorkspaceModel>): AsyncGenerator<string> {
  let separator = '{"models":['
  for await (const model of models) {
    yield separator + JSON.stringify(model)
    separator = ","
  }
  yield separator === "," ? "]}" : `${separator}]}`
}

export const modelRoutes = (router: Router, models: Models): Router => {
  router.on(
    route("user", {
      method: "get",
      path: "/list",
      summary: "List the workspace models that you can access, without their parameters",
      query: ModelListQuery,
      responses: {
        200: json(Page(ModelListItem), "One page of them; `query` matches the id or the name"),
      },
    }),
    ({ caller, query }) => models.list(caller, query),
  )
  router.on(
    route("user", {
      method: "post",
      path: "/create",
      givesAuthority: givesAuthority,
      summary: "Create a model, private to its creator",
      body: NewModel,
      responses: {
        200: json(WorkspaceModel, "The new model"),
        409: { description: "The id is taken, or the model limit is reached" },
      },
    }),
    ({ actor, caller, body }) => models.create(actor, caller, body),
  )
  router.on(
    route("user", {
      method: "get",
      path: "/model",
      summary: "One model",
      query: Which,
      responses: { 200: json(WorkspaceModel, "The model"), 404: unknown },
    }),
    ({ caller, query }) => models.get(caller, query.id),
  )
  router.on(
    route("user", {
      method: "post",
      path: "/model/update",
      givesAuthority: givesAuthority,
      summary: "Change a model; what is left out stays",
      query: Which,
      body: ModelChanges,
      responses: { 200: json(WorkspaceModel, "As it is now"), 403: notYours, 404: unknown },
    }),
    ({ actor, caller, query, body }) =>
      models.update(actor, caller, { id: query.id, changes: body }),
  )
  router.on(
    route("user", {
      method: "post",
      path: "/model/toggle",
      givesAuthority: changesWhatAnswers,
      summary: "Switch a model on or off",
      query: Which,
      responses: { 200: json(WorkspaceModel, "As it is now"), 403: notYours, 404: unknown },
    }),
    ({ actor, caller, query }) => models.toggle(actor, caller, query.id),
  )
  router.on(
    route("user", {
      method: "post",
      path: "/model/delete",
      givesAuthority: changesWhatAnswers,
      summary: "Delete a model",
      body: Which,
      responses: { 200: json(Done, "It is gone"), 403: notYours, 404: unknown },
    }),
    async ({ actor, caller, body }) => {
      await models.remove(actor, caller, body.id)
      return done
    },
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/export",
      summary: "All models, in the form that import takes",
      responses: { 200: json(ModelExport, "The models") },
    }),
    ({ caller, exchange }) =>
      new Response(textStream(exportOf(models.all(caller)), exchange), {
        headers: { "content-type": "application/json; charset=utf-8" },
      }),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/import",
      givesAuthority: ({ models }, credential) =>
        models.some((model) => givesAuthority(model, credential)),
      summary:
        "Create or replace models: all of them, or none. Only the limits of all models apply",
      body: ModelImport,
      bodyLimits: { maxBytes: 20_000_000 },
      responses: {
        200: json(ModelImported, "What was created and what was replaced"),
        409: { description: "The model limit is reached" },
      },
    }),
    ({ actor, caller, body }) => models.replace(actor, caller, body.models),
  )
  return router
}
