import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { MountedRoute } from "../../src/http/server.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { startStreamedCompletion } from "../harness/streamed-completion.ts"
import { maxDelayMs } from "../harness/timing.ts"
import { waitForUsageRecords } from "../harness/usage-records.ts"
import { upload } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const calls = [
  "GET /models",
  "GET /models/:id{.+}",
  "POST /chat/completions",
  "POST /completions",
  "POST /embeddings",
  "POST /messages",
  "POST /messages/count_tokens",
  "POST /responses",
  "POST /responses/compact",
]
/** Everything that a service key may call. */
const reachable = ["/v1", "/api", "/api/v1"].flatMap((prefix) =>
  calls.map((call) => call.replace(" ", ` ${prefix}`)),
)

const hello = (model = "gpt-fake") => ({ model, messages: [{ role: "user", content: "hello" }] })

describe.each(chooseDatabases())("a service key on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let upstream: FakeOpenAI
  let member: { id: string; key: string }
  let group: { id: string }
  let key: { id: string; api_key: string }

  const admin = async (method: string, path: string, body?: object) => {
    const reply = await gateway.call(method, path, body)
    expect([path, reply.status]).toEqual([path, 200])
    return reply.body
  }
  const newGroup = (name: string) => admin("POST", "/api/v1/groups/create", { name })
  const newKey = (groupId: string, limits: object = {}) =>
    admin("POST", `/api/v1/groups/${groupId}/keys`, { name: "Nightly report", ...limits })
  const withKey = (method: string, path: string, body?: object) =>
    gateway.call(method, path, body, { key: key.api_key })

  beforeAll(async () => {
    upstream = await startFakeOpenAI()
    gateway = await startGatewayOnDatabase(createDatabase, {
      OPENAI_API_BASE_URLS: upstream.url,
    })
    await waitForModels(gateway, ["gpt-fake"])
    await admin("POST", "/api/v1/settings", { enable_openai_proxy: true })
    member = await gateway.createUser("Member")
    group = await newGroup("Reports")
    // A service key's group pays for it all the same.
    await admin("POST", `/api/v1/groups/${group.id}/update`, { pays: false })
    await admin("POST", `/api/v1/groups/${group.id}/members/add`, { user_ids: [member.id] })
    key = await newKey(group.id)
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
  })

  /** Whether the key passes a route's authorization, whatever the route then responds. */
  const mayCall = async ({ method, path }: MountedRoute): Promise<boolean> => {
    const concrete = path.replace(/:\w+(\{[^}]*\})?/g, "nothing").replace("*", "api/tags")
    const response = await fetch(gateway.url + concrete, {
      method: method === "ALL" ? "GET" : method,
      headers: { authorization: `Bearer ${key.api_key}` },
    })
    if (response.status === 403) return !(await response.text()).includes("may only call models")
    await response.body?.cancel()
    return true
  }

  it("reaches the routes of models, and no other route", async () => {
    const withoutCaller = new Set<string>(["anyone", "provisioner"])
    const routes = gateway.routes.filter(({ shape }) => !withoutCaller.has(shape.access))
    expect(routes.length).toBeGreaterThan(150)
    const opened: string[] = []
    for (const route of routes) {
      if (await mayCall(route)) opened.push(`${route.method} ${route.path}`)
    }
    expect(opened.sort()).toEqual([...reachable].sort())
  })

  it("is nobody's session where credentials are optional", async () => {
    const session = await withKey("GET", "/api/v1/auths/session")
    expect(session.body).toMatchObject({ user: null })
  })

  it("calls the models that its group may use, and no others", async () => {
    const other = await newGroup("Others")
    for (const [id, principal_id] of [
      ["for-reports", group.id],
      ["for-others", other.id],
      ["for-member", null],
    ] as const) {
      const principal =
        principal_id === null
          ? { principal_type: "user", principal_id: member.id }
          : { principal_type: "group", principal_id }
      const access_grants = [{ ...principal, permission: "read" }]
      const model = { id, name: id, base_model_id: "gpt-fake", access_grants }
      await admin("POST", "/api/v1/models/create", model)
    }
    const list = await withKey("GET", "/v1/models")
    const ids = list.body.data.map(({ id }: { id: string }) => id)
    expect(ids).toContain("for-reports")
    expect(ids).toContain("gpt-fake")
    expect(ids).not.toContain("for-others")
    expect(ids).not.toContain("for-member")
    const statuses = ["for-reports", "for-others", "for-member"].map(
      async (model) => (await withKey("POST", "/v1/chat/completions", hello(model))).status,
    )
    expect(await Promise.all(statuses)).toEqual([200, 404, 404])
    const messages = { ...hello(), max_tokens: 10 }
    expect((await withKey("POST", "/v1/messages", messages)).status).toBe(200)
    const embeddings = { model: "gpt-fake", input: "hello" }
    expect((await withKey("POST", "/v1/embeddings", embeddings)).status).toBe(200)
  })

  it("charges its requests to its group and itself, not to a user", async () => {
    const reply = await withKey("POST", "/v1/chat/completions", hello())
    const requestId = reply.headers.get("x-request-id") ?? ""
    const [record] = await waitForUsageRecords(gateway, requestId)
    expect(record).toMatchObject({ user_id: "", key_id: key.id, group_id: group.id })
    const logged = gateway.logLines.find(({ request_id }) => request_id === requestId)
    expect(logged).toMatchObject({ key: key.id })
    expect(logged).not.toHaveProperty("user")
    await gateway.gateway.recordQueue.flush()
    const { body } = await gateway.call("GET", `/api/v1/usage?group_by=group&key_id=${key.id}`)
    expect(body.items).toMatchObject([{ key: group.id, name: "Reports" }])
    const byUser = await gateway.call("GET", `/api/v1/usage?group_by=user&key_id=${key.id}`)
    expect(byUser.body.items).toMatchObject([{ key: "", name: null }])
  })

  it("stores no response, and continues none", async () => {
    const input = { model: "gpt-fake", input: "hello" }
    const reply = await withKey("POST", "/v1/responses", input)
    expect(reply).toMatchObject({ status: 200, body: { store: false } })
    const stored = await gateway.gateway.db.read
      .selectFrom("stored_responses")
      .selectAll()
      .execute()
    expect(stored).toEqual([])
    const own = await gateway.call("POST", "/v1/responses", input, { key: member.key })
    const next = { ...input, previous_response_id: own.body.id }
    expect(await withKey("POST", "/v1/responses", next)).toMatchObject({
      status: 400,
      body: { error: { code: "previous_response_not_found" } },
    })
  })

  it("reads no files or collections, not even those shared with its group", async () => {
    const { id: file } = (await upload(gateway, "secret.md", "# secret")).body
    const access_grants = [{ principal_type: "group", principal_id: group.id, permission: "read" }]
    const { id } = await admin("POST", "/api/v1/knowledge/create", { name: "C", access_grants })
    await admin("POST", `/api/v1/knowledge/${id}/file/add`, { file_id: file })
    const refused = { status: 403, body: { error: { param: "files" } } }
    for (const reference of [
      { type: "collection", id },
      { type: "file", id: file },
    ]) {
      const request = { ...hello(), files: [reference] }
      expect(await withKey("POST", "/v1/chat/completions", request)).toMatchObject(refused)
    }
    const content = [{ type: "input_file", file_id: file }]
    const response = { model: "gpt-fake", input: [{ role: "user", content }] }
    expect((await withKey("POST", "/v1/responses", response)).status).toBe(403)
  })

  it("respects its own limits", async () => {
    const { api_key } = await newKey(group.id, { allowed_models: ["another"] })
    const options = { key: api_key }
    const reply = await gateway.call("POST", "/v1/chat/completions", hello(), options)
    expect(reply.status).toBe(403)
    const expired = { name: "X", expires_at: Math.floor(Date.now() / 1000) - 1 }
    const path = `/api/v1/groups/${group.id}/keys`
    expect((await gateway.call("POST", path, expired)).status).toBe(422)
  })

  it("outlives the people of its group, whoever created it", async () => {
    const manager = await gateway.createUser("Leaver")
    const { id: team } = await newGroup("Leavers")
    const user_ids = { user_ids: [manager.id] }
    await admin("POST", `/api/v1/groups/${team}/members/add`, user_ids)
    await admin("POST", `/api/v1/groups/${team}/managers/add`, user_ids)
    const path = `/api/v1/groups/${team}/keys`
    const created = await gateway.call("POST", path, {}, { key: manager.key })
    expect(created.status).toBe(200)
    await admin("DELETE", `/api/v1/users/${manager.id}?delete_owned=true`)
    const options = { key: created.body.api_key }
    expect((await gateway.call("GET", "/v1/models", undefined, options)).status).toBe(200)
  })

  it("is among what the deletion of its group would end", async () => {
    const { id: team } = await newGroup("Not deleted")
    const { id } = await newKey(team)
    const refused = await gateway.call("DELETE", `/api/v1/groups/${team}`)
    expect(refused).toMatchObject({ status: 409, body: { code: "in_use" } })
    expect(refused.body.in_use.items).toMatchObject([{ type: "api_key", id }])
  })

  it("is recorded as revoked when its group is deleted", async () => {
    const { id: team } = await newGroup("Deleted")
    const { id } = await newKey(team)
    await admin("DELETE", `/api/v1/groups/${team}?confirm=delete`)
    const { body } = await gateway.call("GET", `/api/v1/audit?target=${id}&action=key.revoked`)
    const before = { name: "Nightly report", group_id: team }
    expect(body.items).toMatchObject([{ before }])
  })

  it.each([
    [
      "it is revoked by its group",
      (id: string, team: string) => `/api/v1/groups/${team}/keys/${id}`,
    ],
    ["it is revoked by an administrator", (id: string) => `/api/v1/keys/${id}`],
    [
      "its group is deleted",
      (_id: string, team: string) => `/api/v1/groups/${team}?confirm=delete`,
    ],
  ])("ends at once, with its streams, when %s", async (how, pathOf) => {
    const { id: team } = await newGroup(how)
    const doomed = await newKey(team)
    const bystander = await startStreamedCompletion(gateway, { key: key.api_key, seconds: 1 })
    const stream = await startStreamedCompletion(gateway, { key: doomed.api_key })
    const since = performance.now()
    await admin("DELETE", pathOf(doomed.id, team))
    const options = { key: doomed.api_key }
    expect((await gateway.call("GET", "/v1/models", undefined, options)).status).toBe(401)
    expect(await stream.body).toContain("revoked")
    expect((await stream.endedAt) - since).toBeLessThan(maxDelayMs)
    expect(await bystander.body).toContain("[DONE]")
  })
})
