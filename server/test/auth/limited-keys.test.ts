import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { CredentialLimits } from "../../src/http/caller.ts"
import type { MountedRoute } from "../../src/http/server.ts"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminPassword, startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { harmlessKnowledgeChanges } from "./harmless-knowledge-changes.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

let upstream: FakeOpenAI
let runtime: FakeOllama
let gateway: TestGateway
let routes: readonly MountedRoute[]

beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake", "gpt-large"] })
  runtime = await startFakeOllama()
  const env = { OPENAI_API_BASE_URLS: upstream.url, OLLAMA_BASE_URLS: runtime.url }
  gateway = await startGateway(env)
  await waitForModels(gateway, ["gpt-fake"])
  await gateway.call("POST", "/api/v1/settings", { enable_openai_proxy: true })
  routes = gateway.routes
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
  await runtime.close()
})

const keysPath = "/api/v1/auths/api_keys"

const createKey = async (limits: object, key?: string): Promise<string> => {
  const created = await gateway.call("POST", keysPath, limits, key === undefined ? {} : { key })
  expect(created.status).toBe(200)
  return created.body.api_key
}

const nameOf = ({ method, path }: MountedRoute): string => `${method} ${path}`
const acceptsKeys = ({ shape }: MountedRoute): boolean =>
  shape.access !== "anyone" && shape.access !== "provisioner"

/** The body of a 403 response; null for other responses, whose bodies may never end. */
const refusalOf = async (route: MountedRoute, key: string): Promise<string | null> => {
  const path = route.path.replace(/:\w+(\{[^}]*\})?/g, "nothing").replace("*", "api/tags")
  const method = route.method === "ALL" ? "GET" : route.method
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(gateway.url + path, { method, headers })
  if (response.status === 403) return response.text()
  await response.body?.cancel()
  return null
}

const routesOpenedBy = async (allowed_routes: string[]): Promise<string[]> => {
  const key = await createKey({ allowed_routes })
  const opened: string[] = []
  for (const route of routes.filter(acceptsKeys)) {
    const refusal = await refusalOf(route, key)
    if (!refusal?.includes("is not allowed to call")) opened.push(nameOf(route))
  }
  return opened.sort()
}

/** All aliases of OpenAI-style routes. */
const aliases = (...calls: string[]): string[] =>
  calls.flatMap((call) =>
    ["/v1", "/api", "/api/v1"].map((prefix) => call.replace(" ", ` ${prefix}`)),
  )

const listRoutes = aliases("GET /models", "GET /models/:id{.+}")
const answerRoutes = aliases(
  "POST /chat/completions",
  "POST /completions",
  "POST /embeddings",
  "POST /messages",
  "POST /messages/count_tokens",
  "POST /responses",
  "POST /responses/compact",
  "POST /responses/input_tokens",
)
const storedResponseChanges = aliases("DELETE /responses/:id", "POST /responses/:id/cancel")
const storedResponseReads = aliases("GET /responses/:id", "GET /responses/:id/input_items")
const storedResponses = [...storedResponseReads, ...storedResponseChanges]
const openaiRoutes = [...listRoutes, ...answerRoutes, ...storedResponses]
const routesBelow = (prefix: string): string[] =>
  routes
    .filter(acceptsKeys)
    .filter(({ path }) => path === prefix || path.startsWith(`${prefix}/`))
    .map(nameOf)

const sortedUnique = (...names: string[]): string[] => [...new Set(names)].sort()

describe("a key's list of routes", () => {
  it.each([
    [["/v1/*"], () => openaiRoutes],
    [["/v1/models/*"], () => listRoutes],
    [["/v1/models*"], () => listRoutes],
    [["/v1/models"], () => aliases("GET /models")],
    [["/api/models/"], () => aliases("GET /models")],
    [["/v1/responses"], () => aliases("POST /responses")],
    [["/v1/responses/*"], () => openaiRoutes.filter((name) => name.includes("/responses"))],
    [["/api/v1/chat/completions"], () => aliases("POST /chat/completions")],
    [["/v1/chat*"], () => aliases("POST /chat/completions")],
    [["/api/v1/models/*"], () => [...listRoutes, ...routesBelow("/api/v1/models")]],
    [["/api/v1/models/create"], () => ["POST /api/v1/models/create"]],
    [["/api/v1/*"], () => [...openaiRoutes, ...routesBelow("/api/v1")]],
    [["/api/*"], () => [...openaiRoutes, ...routesBelow("/api")]],
    [["/ollama/*"], () => routesBelow("/ollama")],
    [["/v1/files/*", "/nowhere"], () => []],
    [["/*"], () => routes.filter(acceptsKeys).map(nameOf)],
  ])("%j allows only the routes it matches and their aliases", async (allowed, expected) => {
    expect(await routesOpenedBy(allowed)).toEqual(sortedUnique(...expected()))
  })

  it("for OpenAI-style routes does not allow creating or deleting models", async () => {
    const fields = { name: "Mine", base_model_id: "gpt-fake" }
    await gateway.call("POST", "/api/v1/models/create", { id: "there", ...fields })
    for (const allowed of ["/v1/*", "/v1/models/*", "/api/models/*"]) {
      const key = await createKey({ allowed_routes: [allowed] })
      const call = (path: string, body: object) =>
        gateway.call("POST", `/api/v1/models/${path}`, body, { key })
      expect((await call("create", { id: "new", ...fields })).status).toBe(403)
      expect((await call("model/delete", { id: "there" })).status).toBe(403)
      const list = await gateway.call("GET", "/api/v1/models", undefined, { key })
      expect(list.status).toBe(200)
    }
    const { body } = await gateway.call("GET", "/api/v1/models/list")
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(["there"])
  })
})

/** Changes that a limited key may make, because none grants more or lasts longer than the key. */
const harmlessChanges = [
  "ALL /ollama/*",
  "ALL /openai/*",
  "DELETE /api/v1/auths/api_key",
  "DELETE /api/v1/auths/api_keys/:id",
  "DELETE /api/v1/auths/sessions/:id",
  "DELETE /api/v1/chats/:id",
  "DELETE /api/v1/files/:id",
  "DELETE /api/v1/folders/:id",
  "DELETE /api/v1/files/resumable/:id",
  "DELETE /api/v1/invitations/:id",
  "DELETE /api/v1/prompts/:id/delete",
  "DELETE /api/v1/sso/identities/:id",
  "PATCH /api/v1/files/resumable/:id",
  "POST /api/v1/auths/signout",
  "POST /api/v1/auths/update/profile",
  "POST /api/v1/chats/:id",
  "POST /api/v1/chats/:id/copy",
  "POST /api/v1/chats/:id/messages",
  "POST /api/v1/chats/:id/messages/:message_id/edit",
  "POST /api/v1/chats/:id/messages/:message_id/rating",
  "POST /api/v1/chats/:id/stop",
  "POST /api/v1/chats/import",
  "POST /api/v1/chats/new",
  "POST /api/v1/connections/:id/test",
  "POST /api/v1/connections/test",
  "POST /api/v1/files",
  "POST /api/v1/files/:id/passages/locate",
  "POST /api/v1/files/:id/process",
  "POST /api/v1/files/resumable",
  "POST /api/v1/files/resumable/:id",
  "POST /api/v1/folders",
  "POST /api/v1/folders/:id/update",
  "POST /api/v1/functions/check",
  "POST /api/v1/sso/providers/:id/test",
  "POST /api/v1/sso/signout",
  "POST /api/v1/webhook/test",
  ...harmlessKnowledgeChanges,
  ...answerRoutes,
  ...storedResponseChanges,
]

/** Routes for which it depends on the body; each is tested below. */
const decidedByBody = [
  "POST /api/v1/chats/:id/share",
  "POST /api/v1/knowledge/:id/update",
  "POST /api/v1/knowledge/create",
  "POST /api/v1/models/create",
  "POST /api/v1/models/import",
  "POST /api/v1/models/model/delete",
  "POST /api/v1/models/model/toggle",
  "POST /api/v1/models/model/update",
  "POST /api/v1/prompts/:id/update",
  "POST /api/v1/prompts/create",
]

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600
/** A key with each limit; none may be missing here. */
const keysByLimit: Record<keyof CredentialLimits, [how: string, limit: () => object]> = {
  expires_at: ["expires", () => ({ expires_at: inAnHour() })],
  allowed_models: ["is limited to models", () => ({ allowed_models: ["gpt-fake"] })],
  allowed_routes: [
    "is limited to routes, even if to all of them",
    () => ({ allowed_routes: ["/*"] }),
  ],
}
const limits = Object.values(keysByLimit)

describe("a route", () => {
  it("that changes something declares whether it grants authority", () => {
    const changing = routes.filter(acceptsKeys).filter(({ method }) => method !== "GET")
    const silent = changing.filter(({ shape }) => shape.grantsPrivileges === undefined)
    expect(silent.map(nameOf)).toEqual([])
    const none = changing.filter(({ shape }) => shape.grantsPrivileges === false)
    expect(none.map(nameOf).sort()).toEqual([...harmlessChanges].sort())
    const depends = changing.filter(({ shape }) => typeof shape.grantsPrivileges === "function")
    expect(depends.map(nameOf).sort()).toEqual(decidedByBody)
  })

  it.each(limits)("that grants authority rejects a key that %s", async (_how, limit) => {
    const key = await createKey(limit())
    const giving = routes.filter(({ shape }) => shape.grantsPrivileges === true)
    expect(giving.length).toBeGreaterThan(15)
    for (const route of giving) {
      const refusal = await refusalOf(route, key)
      expect([nameOf(route), refusal]).toEqual([
        nameOf(route),
        expect.stringContaining("it cannot change accounts, keys"),
      ])
    }
    // The key still works for other requests.
    expect((await gateway.call("GET", "/v1/models", undefined, { key })).status).toBe(200)
    expect((await gateway.call("POST", "/api/v1/chats/new", {}, { key })).status).toBe(200)
  })

  it.each(limits)("does not create an administrator for a key that %s", async (_how, limit) => {
    const key = await createKey(limit())
    const email = "heir@example.com"
    const heir = { name: "Heir", email, password: "a long password", role: "admin" }
    const refused = await gateway.call("POST", "/api/v1/auths/add", heir, { key })
    expect(refused).toMatchObject({ status: 403, body: { code: "forbidden" } })
    const minting = { password: adminPassword, new_password: adminPassword }
    const minted = await gateway.call("POST", "/api/v1/auths/update/password", minting, { key })
    expect(minted.status).toBe(403)
    const { body } = await gateway.call("GET", "/api/v1/users/?query=heir")
    expect(body.total).toBe(0)
  })
})

describe.each(limits)("a key that %s", (_how, limit) => {
  const everyone = [{ principal_type: "user", principal_id: "*", permission: "read" }]
  let key: string
  let isModelLimited: boolean

  beforeAll(async () => {
    key = await createKey(limit())
    isModelLimited = "allowed_models" in limit()
  })

  const post = async (path: string, body: object): Promise<number> =>
    (await gateway.call("POST", path, body, { key })).status

  it("can change collections but not grant access to them", async () => {
    const create = "/api/v1/knowledge/create"
    expect(await post(create, { name: "Shared", access_grants: everyone })).toBe(403)
    const own = await gateway.call("POST", create, { name: "Own" }, { key })
    expect(own.status).toBe(200)
    const update = `/api/v1/knowledge/${own.body.id}/update`
    expect(await post(update, { access_grants: everyone })).toBe(403)
    expect(await post(update, { description: "Read", access_grants: [] })).toBe(200)
  })

  it("cannot share a chat, but can stop sharing it", async () => {
    const { body: chat } = await gateway.call("POST", "/api/v1/chats/new", {}, { key })
    expect(await post(`/api/v1/chats/${chat.id}/share`, {})).toBe(403)
    expect(await post(`/api/v1/chats/${chat.id}/share`, { shared: false })).toBe(200)
  })

  it("cannot grant access to a model, nor change one if it is limited to models", async () => {
    const model = { id: "limited", name: "Limited", base_model_id: "gpt-fake" }
    const granted = { ...model, access_grants: everyone }
    expect(await post("/api/v1/models/create", granted)).toBe(403)
    expect(await post("/api/v1/models/import", { models: [granted] })).toBe(403)
    const expected = isModelLimited ? 403 : 200
    expect(await post("/api/v1/models/create", model)).toBe(expected)
    if (isModelLimited) await gateway.call("POST", "/api/v1/models/create", model)
    const update = "/api/v1/models/model/update?id=limited"
    expect(await post(update, { access_grants: everyone })).toBe(403)
    expect(await post(update, { base_model_id: "gpt-large" })).toBe(expected)
    expect(await post("/api/v1/models/model/toggle?id=limited", {})).toBe(expected)
    expect(await post("/api/v1/models/model/delete", { id: "limited" })).toBe(expected)
    if (isModelLimited) await gateway.call("POST", "/api/v1/models/model/delete", { id: "limited" })
  })

  it("can only use native routes that cannot bypass its list of models", async () => {
    const copy = { source: "llama3.2:latest", destination: "gpt-fake" }
    expect((await post("/ollama/api/copy", copy)) === 403).toBe(isModelLimited)
    expect(await post("/openai/organization/admin_api_keys", { name: "heir" })).toBe(403)
    const paths = upstream.requests.map(({ path }) => path)
    expect(paths.filter((path) => path.includes("organization"))).toEqual([])
  })
})
