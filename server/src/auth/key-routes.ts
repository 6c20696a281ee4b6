import { z } from "zod"
import { fail } from "../errors.ts"
import { IdParams } from "../http/pagination.ts"
import { json, success } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Keys } from "./keys.ts"
import { ApiKey, CreatedApiKey, NewApiKey } from "./schema.ts"

const limited = { description: "The request used a restricted API key" }

const ScriptKey = z.object({ api_key: z.string() }).meta({ id: "ScriptKey" })

export const keyRoutes = (router: Router, keys: Keys): Router => {
  router.on("get", "/api_keys", {
    access: "user",
    summary: "List your API keys, without secrets",
    responses: { 200: json(z.array(ApiKey), "Oldest first") },
    handle: ({ caller }) => keys.list(caller.user.id),
  })
  router.on("post", "/api_keys", {
    access: "user",
    grantsPrivileges: true,
    summary: "Create an API key; its secret is returned only once",
    body: NewApiKey,
    responses: { 200: json(CreatedApiKey, "The key with its secret"), 403: limited },
    handle: ({ actor, caller, body }) => keys.create(actor, caller.user.id, body),
  })
  router.on("delete", "/api_keys/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Revoke an API key",
    params: IdParams,
    responses: {
      200: success("Revoked"),
      404: { description: "You have no such key" },
    },
    handle: ({ actor, caller, params }) => keys.revoke(actor, caller.user.id, params.id),
  })
  router.on("get", "/api_key", {
    access: "user",
    summary: "Get your script key, masked",
    responses: {
      200: json(ScriptKey, "The key, masked except for its last four characters"),
      404: { description: "You have no script key" },
    },
    handle: async ({ caller }) => {
      const key = await keys.scriptKey(caller.user.id)
      return key
        ? { api_key: `sk-…${key.hint}` }
        : fail("not_found", "You have no script key. Create one with POST.")
    },
  })
  router.on("post", "/api_key", {
    access: "user",
    grantsPrivileges: true,
    summary: "Create or replace your script key",
    responses: { 200: json(ScriptKey, "The secret, which is returned only once"), 403: limited },
    handle: async ({ actor, caller }) => {
      const { api_key } = await keys.replaceScriptKey(actor, caller.user.id)
      return { api_key }
    },
  })
  router.on("delete", "/api_key", {
    access: "user",
    grantsPrivileges: false,
    summary: "Revoke your script key",
    responses: { 200: success("Revoked, or there was no key") },
    handle: async ({ actor, caller }) => {
      const key = await keys.scriptKey(caller.user.id)
      if (key) await keys.revoke(actor, caller.user.id, key.id)
    },
  })
  return router
}
