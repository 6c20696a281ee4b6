import { z } from "zod"
import { IdParams, Page } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import { AdministeredKey, ApiKey, CreatedApiKey, KeyListQuery, NewApiKey } from "./schema.ts"

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
  listAll: route("get", "/api/v1/keys", {
    access: "admin",
    summary: "List and search the API keys of all users and the service keys of all groups",
    query: KeyListQuery,
    responses: { 200: json(Page(AdministeredKey), "A page of keys") },
  }),
  removeAny: route("delete", "/api/v1/keys/:id", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Revoke a key of any user or group; its owner is not changed",
    params: IdParams,
    responses: { 200: success("Revoked"), 404: { description: "There is no such key" } },
  }),
}

const GroupKeyParams = z.object({ id: z.string().max(200), key_id: z.string().max(200) })

const notManager = { description: "You do not manage the group, or the key is restricted" }
const unknownGroup = { description: "There is no such group" }

/** Service keys: for administrators and the managers of their group. */
export const serviceKeyRoutes = {
  list: route("get", "/api/v1/groups/:id/keys", {
    access: "user",
    summary: "List the service keys of a group, without secrets",
    params: IdParams,
    responses: { 200: json(z.array(ApiKey), "Oldest first"), 403: notManager, 404: unknownGroup },
  }),
  create: route("post", "/api/v1/groups/:id/keys", {
    access: "user",
    grantsPrivileges: true,
    summary: "Create a service key of a group; its secret is returned only once",
    params: IdParams,
    body: NewApiKey,
    responses: {
      200: json(CreatedApiKey, "The key with its secret"),
      403: notManager,
      404: unknownGroup,
    },
  }),
  remove: route("delete", "/api/v1/groups/:id/keys/:key_id", {
    access: "user",
    grantsPrivileges: true,
    summary: "Revoke a service key of a group",
    params: GroupKeyParams,
    responses: {
      200: success("Revoked"),
      403: notManager,
      404: { description: "There is no such group, or it has no such key" },
    },
  }),
}
