import { z } from "zod"
import { IdParams } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import { ApiKey, CreatedApiKey, NewApiKey } from "./schema.ts"

const limited = { description: "The request used a restricted API key" }

const ScriptKey = z.object({ api_key: z.string() }).meta({ id: "ScriptKey" })

export const apiKeyRoutes = {
  list: route("get", "/api/v1/auths/api_keys", {
    access: "user",
    summary: "List your API keys, without secrets",
    responses: { 200: json(z.array(ApiKey), "Oldest first") },
  }),
  create: route("post", "/api/v1/auths/api_keys", {
    access: "user",
    grantsPrivileges: true,
    summary: "Create an API key; its secret is returned only once",
    body: NewApiKey,
    responses: { 200: json(CreatedApiKey, "The key with its secret"), 403: limited },
  }),
  remove: route("delete", "/api/v1/auths/api_keys/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Revoke an API key",
    params: IdParams,
    responses: {
      200: success("Revoked"),
      404: { description: "You have no such key" },
    },
  }),
  getUnrestricted: route("get", "/api/v1/auths/api_key", {
    access: "user",
    summary: "Get your script key, masked",
    responses: {
      200: json(ScriptKey, "The key, masked except for its last four characters"),
      404: { description: "You have no script key" },
    },
  }),
  createUnrestricted: route("post", "/api/v1/auths/api_key", {
    access: "user",
    grantsPrivileges: true,
    summary: "Create or replace your script key",
    responses: { 200: json(ScriptKey, "The secret, which is returned only once"), 403: limited },
  }),
  removeUnrestricted: route("delete", "/api/v1/auths/api_key", {
    access: "user",
    grantsPrivileges: false,
    summary: "Revoke your script key",
    responses: { 200: success("Revoked, or there was no key") },
  }),
}
