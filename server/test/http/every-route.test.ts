import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { errorSchemas } from "../../src/api-docs/error-schemas.ts"
import type { MountedRoute } from "../../src/http/server.ts"
import { startFakeOllama } from "../fakes/ollama.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitFor } from "../harness/usage-records.ts"
import { createCollection, upload } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { exchangeOf, storedResponsesOf } from "../stored-responses/responses.ts"

const scimToken = "the-identity-providers-own-token"

let gateway: TestGateway
let routes: readonly MountedRoute[]
let closeAll: () => Promise<unknown>

beforeAll(async () => {
  const upstream = await startFakeOpenAI({ apiKey: "up-key" })
  const runtime = await startFakeOllama()
  gateway = await startGateway({
    ENV: "dev",
    OPENAI_API_BASE_URLS: upstream.url,
    OPENAI_API_KEYS: "up-key",
    OLLAMA_BASE_URLS: runtime.url,
    SCIM_ENABLED: "true",
    SCIM_TOKEN: scimToken,
  })
  routes = gateway.routes
  closeAll = () => Promise.all([gateway.stop(), upstream.close(), runtime.close()])
})
afterAll(() => closeAll())

/** A path of the route whose parameters match no existing resource. */
const pathOf = ({ path }: MountedRoute): string =>
  path.replace(/:\w+(\{[^}]*\})?/g, "nothing").replace("*", "api/tags")

const methodOf = ({ method }: MountedRoute): string => (method === "ALL" ? "GET" : method)

const nameOf = (route: MountedRoute): string => `${route.method} ${route.path}`

/** Calls every selected route, and parses each error in the route's format. */
const collectErrors = async (
  isSelected: (route: MountedRoute) => boolean,
  options: { key: string | null },
) => {
  const errors: { name: string; status: number; headers: Headers; refusal: unknown }[] = []
  for (const route of routes.filter(isSelected)) {
    const reply = await gateway.call(methodOf(route), pathOf(route), undefined, options)
    const refusal = errorSchemas[route.style].parse(reply.body)
    errors.push({ name: nameOf(route), status: reply.status, headers: reply.headers, refusal })
  }
  expect(errors.length).toBeGreaterThan(3)
  return errors
}

const names = (found: readonly { name: string }[]): string[] => found.map(({ name }) => name)

describe("every route", () => {
  it("is documented in OpenAPI", async () => {
    const { paths } = (await gateway.call("GET", "/openapi.json")).body
    const described = (route: MountedRoute): boolean => {
      const template = route.path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}").replace("*", "{path}")
      return paths[template]?.[methodOf(route).toLowerCase()]?.summary === route.shape.summary
    }
    const isDocumented = ({ shape }: MountedRoute): boolean => "200" in shape.responses
    expect(
      routes
        .filter(isDocumented)
        .filter((route) => !described(route))
        .map(nameOf),
    ).toEqual([])
  })

  it("returns 401 without a valid credential unless it is public", async () => {
    const open = routes.filter(({ shape }) => shape.access === "anyone").map(({ path }) => path)
    expect([...new Set(open)].filter((path) => !path.includes("docs")).sort()).toEqual([
      "/api/config",
      "/api/v1/auths/session",
      "/api/v1/auths/signin",
      "/api/v1/auths/signup",
      "/api/v1/invitations/accept",
      "/api/v1/invitations/open",
      "/api/v1/sso/:provider/backchannel-logout",
      "/api/v1/sso/:provider/callback",
      "/api/v1/sso/:provider/start",
      "/api/version",
      "/health",
      "/metrics",
      "/openapi.json",
      "/ready",
    ])
    const guarded = ["signed_in", "user", "admin"]
    for (const key of [null, "sk-unknown", "garbled"]) {
      const found = await collectErrors(({ shape }) => guarded.includes(shape.access), { key })
      expect(names(found.filter(({ status }) => status !== 401))).toEqual([])
      const withoutChallenge = found.filter(
        ({ headers }) => headers.get("www-authenticate") !== "Bearer",
      )
      expect(names(withoutChallenge)).toEqual([])
    }
  })

  it("for administrators returns 403 to a user", async () => {
    const { key } = await gateway.createUser("Grace")
    const found = await collectErrors(({ shape }) => shape.access === "admin", { key })
    expect(names(found.filter(({ status }) => status !== 403))).toEqual([])
  })

  it("for approved accounts returns 403 to a pending account", async () => {
    const { id, key } = await gateway.createUser("Petra")
    await gateway.call("POST", `/api/v1/users/${id}/update`, { role: "pending" })
    const approved = ["user", "admin"]
    const found = await collectErrors(({ shape }) => approved.includes(shape.access), { key })
    expect(names(found.filter(({ status }) => status !== 403))).toEqual([])
    expect(JSON.stringify(found[0]?.refusal)).toContain("account_pending")
    expect((await gateway.call("GET", "/api/v1/auths/", undefined, { key })).status).toBe(200)
  })

  it("returns 403 to a key limited to other routes", async () => {
    const limits = { name: "one route", allowed_routes: ["/nowhere"] }
    const { api_key: key } = (await gateway.call("POST", "/api/v1/auths/api_keys", limits)).body
    const takesKeys = ["signed_in", "user", "admin"]
    const found = await collectErrors(({ shape }) => takesKeys.includes(shape.access), { key })
    expect(names(found.filter(({ status }) => status !== 403))).toEqual([])
  })

  it("for the identity provider rejects account keys and limits attempts", async () => {
    const found = await collectErrors(({ shape }) => shape.access === "provisioner", {
      key: adminKey,
    })
    expect(found[0]?.status).toBe(401)
    expect(names(found.filter(({ status }) => status !== 401 && status !== 429))).toEqual([])
  })

  it("returns 405 with Allow for an unsupported method", async () => {
    // SCIM handles all methods below its base path itself, after authentication.
    const restRoutes = routes.filter(({ method, style }) => method !== "ALL" && style !== "scim")
    for (const route of restRoutes) {
      const supported = routes.filter(({ path }) => path === route.path).map(({ method }) => method)
      const unsupported = ["PUT", "PATCH", "DELETE", "POST"].find(
        (method) => !supported.includes(method),
      )
      if (!unsupported) continue
      const { status, headers, body } = await gateway.call(unsupported, pathOf(route))
      expect(status, nameOf(route)).toBe(405)
      const allowed = headers.get("allow")?.split(", ")
      expect(allowed, nameOf(route)).toEqual(expect.arrayContaining(supported))
      expect(allowed).not.toContain(unsupported)
      expect(errorSchemas[route.style].parse(body)).toEqual(body)
    }
  })

  it("accepts a trailing slash without a redirect", async () => {
    for (const route of routes.filter(({ style }) => style !== "scim")) {
      const withoutChallenge = await gateway.call(methodOf(route), pathOf(route), undefined, {
        key: null,
      })
      const slashed = `${pathOf(route)}/`
      const response = await gateway.call(methodOf(route), slashed, undefined, { key: null })
      expect(response.status, nameOf(route)).toBe(withoutChallenge.status)
      expect(response.status, nameOf(route)).not.toBe(405)
    }
  })

  it("returns a request id, taken from the request if valid", async () => {
    const headers = { "x-request-id": "mine-1" }
    for (const route of routes) {
      const address = pathOf(route)
      const options = { key: null, headers }
      const reply = await gateway.call(methodOf(route), address, undefined, options)
      expect(reply.headers.get("x-request-id"), nameOf(route)).toBe("mine-1")
    }
  })
})

describe("every GET route", () => {
  /** Paths of existing resources, for routes with parameters. */
  const pathByRoute = new Map<string, string>()

  beforeAll(async () => {
    const call = async (path: string, body: unknown) => {
      const reply = await gateway.call("POST", path, body)
      expect(reply.status, path).toBe(200)
      return reply.body
    }
    const { id: user } = await gateway.createUser("Rosa")
    const group = await call("/api/v1/groups/create", { name: "Readers" })
    await call(`/api/v1/groups/${group.id}/members/add`, { user_ids: [user] })
    await waitForModels(gateway, ["gpt-fake"])
    const grants = [{ principal_type: "group", principal_id: group.id, permission: "read" }]
    await call("/api/v1/models/create", {
      id: "helper",
      name: "Helper",
      base_model_id: "gpt-fake",
      params: { system: "Be brief.", temperature: 0 },
      access_grants: grants,
    })
    const messages = [{ role: "user", content: "hello" }]
    await call("/v1/chat/completions", { model: "helper", messages })
    await waitFor(async () => (await gateway.call("GET", "/api/v1/usage")).body.total === 1)
    await call("/api/v1/auths/api_key", undefined)
    const chat = await call("/api/v1/chats/new", {})

    const { body: file } = await upload(gateway, "read.md", "# Read\n\nWords.", {
      query: "?process_in_background=false",
    })
    const collection = await createCollection(gateway, "Read", [file.id])
    for (const path of [
      "",
      "/data/content",
      "/process/status",
      "/passages",
      "/outline",
      "/collections",
    ]) {
      pathByRoute.set(`/api/v1/files/:id${path}`, `/api/v1/files/${file.id}${path}`)
    }
    for (const path of ["", "/files"]) {
      pathByRoute.set(`/api/v1/knowledge/:id${path}`, `/api/v1/knowledge/${collection}${path}`)
    }

    const content = "export const reply = () => 'hello'"
    await call("/api/v1/functions/create", { id: "greeter", name: "Greeter", content })
    for (const path of ["", "/valves", "/versions"]) {
      pathByRoute.set(`/api/v1/functions/id/:id${path}`, `/api/v1/functions/id/greeter${path}`)
    }
    pathByRoute.set(
      "/api/v1/functions/id/:id/versions/:version",
      "/api/v1/functions/id/greeter/versions/1",
    )

    const { id: admin } = (await gateway.call("GET", "/api/v1/auths/")).body
    await storedResponsesOf(gateway).save(admin, exchangeOf("resp_read"))

    pathByRoute.set("/api/v1/users/:id", `/api/v1/users/${user}`)
    pathByRoute.set("/api/v1/groups/:id", `/api/v1/groups/${group.id}`)
    pathByRoute.set("/api/v1/groups/:id/members", `/api/v1/groups/${group.id}/members`)
    pathByRoute.set("/api/v1/connections/:id", "/api/v1/connections/env-openai-0")
    pathByRoute.set("/api/v1/models/model", "/api/v1/models/model?id=helper")
    pathByRoute.set("/api/v1/chats/:id", `/api/v1/chats/${chat.id}`)
    pathByRoute.set("/api/v1/chats/:id/export", `/api/v1/chats/${chat.id}/export`)
    for (const prefix of ["/v1", "/api", "/api/v1"]) {
      pathByRoute.set(`${prefix}/models/:id{.+}`, `${prefix}/models/helper`)
      for (const path of ["", "/input_items"]) {
        pathByRoute.set(`${prefix}/responses/:id${path}`, `${prefix}/responses/resp_read${path}`)
      }
    }
  })

  const readRoutes = (): MountedRoute[] =>
    routes.filter(
      ({ method, shape }) =>
        method === "GET" && shape.responses[200]?.schema && shape.access !== "provisioner",
    )
  const hasExamplePath = ({ path }: MountedRoute): boolean =>
    pathByRoute.has(path) || !path.includes(":")

  it("returns exactly the documented fields and no secrets", async () => {
    const found = readRoutes().filter(hasExamplePath)
    expect(found.length).toBeGreaterThan(20)
    for (const route of found) {
      const { status, body } = await gateway.call("GET", pathByRoute.get(route.path) ?? route.path)
      expect(status, nameOf(route)).toBe(200)
      // zod strips fields that the schema lacks, so equality means that nothing undocumented is
      // returned.
      expect(route.shape.responses[200]?.schema?.parse(body), nameOf(route)).toEqual(body)
      expect(JSON.stringify(body), nameOf(route)).not.toMatch(/scrypt|up-key|password_hash/)
    }
  })

  it("returns 404 in its error format for an unknown resource", async () => {
    for (const route of readRoutes().filter(({ path }) => path.includes(":"))) {
      const { status, body } = await gateway.call("GET", pathOf(route))
      expect(status, nameOf(route)).toBe(404)
      expect(errorSchemas[route.style].parse(body), nameOf(route)).toEqual(body)
    }
  })
})
