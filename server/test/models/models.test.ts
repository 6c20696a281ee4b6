import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { createOpenAIModel, type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "./wait-for-models.ts"

const base = "/api/v1/models"

let upstream: FakeOpenAI
let closed: FakeOpenAI
let gateway: TestGateway
let ada: { id: string; key: string }
let bob: { id: string; key: string }

beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake", "llama:latest"] })
  closed = await startFakeOpenAI({ models: ["restricted"] })
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
  const connection = { kind: "openai", name: "closed", base_url: closed.url, access_grants: [] }
  await gateway.call("POST", "/api/v1/connections/create", connection)
  await waitForModels(gateway, ["restricted", "gpt-fake"])
  ada = await gateway.createUser("Ada2")
  bob = await gateway.createUser("Bob")
})
beforeEach(async () => {
  const { body } = await gateway.call("GET", `${base}/list`)
  for (const { id } of body.items) await gateway.call("POST", `${base}/model/delete`, { id })
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
  await closed.close()
})

type Key = { key?: string }
const make = async (id: string, fields: object = {}, options: Key = {}) => {
  const model = { id, name: `The ${id}`, base_model_id: "gpt-fake", ...fields }
  return gateway.call("POST", `${base}/create`, model, options)
}
const made = async (...args: Parameters<typeof make>) => {
  const reply = await make(...args)
  expect(reply).toMatchObject({ status: 200 })
  return reply.body
}
const change = (id: string, changes: object, options: Key = {}) =>
  gateway.call("POST", `${base}/model/update?id=${encodeURIComponent(id)}`, changes, options)
const get = (id: string, options: Key = {}) =>
  gateway.call("GET", `${base}/model?id=${encodeURIComponent(id)}`, undefined, options)
const chat = (model: string, options: Key = {}, fields: object = {}) =>
  gateway.call(
    "POST",
    "/v1/chat/completions",
    { model, messages: [{ role: "user", content: "hi" }], ...fields },
    options,
  )
const listed = async (options: Key = {}) => {
  const { body } = await gateway.call("GET", "/api/models", undefined, options)
  return body.data.map(({ id }: { id: string }) => id)
}
const sent = () => upstream.requests.at(-1)?.json
const grant = (permission: string, principal_id: string, principal_type = "user") => ({
  access_grants: [{ principal_type, principal_id, permission }],
})

describe("a workspace model", () => {
  it("is created, listed, updated, disabled and deleted", async () => {
    const meta = { description: "Knows ships", tags: ["sea"] }
    const model = await made("sea/captain:1", { meta })
    expect(model).toMatchObject({ access_grants: [], is_active: true, base_model_id: "gpt-fake" })
    const entry = await gateway.call("GET", "/v1/models/sea/captain:1")
    expect(entry.body).toMatchObject({ name: "The sea/captain:1", tags: ["sea"], available: true })
    expect(entry.body).toMatchObject({ base_model_id: "gpt-fake", description: "Knows ships" })
    expect((await chat("sea/captain:1")).status).toBe(200)
    expect(sent()).toMatchObject({ model: "gpt-fake" })
    expect((await change("sea/captain:1", { name: "Captain" })).body).toMatchObject({
      name: "Captain",
      meta,
    })
    const toggle = `${base}/model/toggle?id=${encodeURIComponent("sea/captain:1")}`
    expect((await gateway.call("POST", toggle)).body.is_active).toBe(false)
    expect((await chat("sea/captain:1")).status).toBe(404)
    expect((await gateway.call("POST", toggle)).body.is_active).toBe(true)
    expect((await make("sea/captain:1")).status).toBe(409)
    await gateway.call("POST", `${base}/model/delete`, { id: "sea/captain:1" })
    expect((await chat("sea/captain:1")).status).toBe(404)
    expect((await get("sea/captain:1")).status).toBe(404)
  })

  it("merges concurrent changes to different fields", async () => {
    await made("shared")
    await Promise.all([
      change("shared", { name: "Named" }),
      change("shared", { params: { temperature: 1 } }),
      change("shared", { meta: { description: "told" } }),
    ])
    const { body } = await get("shared")
    expect(body).toMatchObject({ name: "Named", params: { temperature: 1 } })
    expect(body.meta.description).toBe("told")
  })

  it("applies its prompt and parameters, which the caller's own override", async () => {
    const params = {
      system: "Be brief.",
      temperature: 0.2,
      top_p: 0.5,
      x_new: { a: 1 },
      seed: null,
    }
    await made("brief", { params })
    await chat("brief", {}, { temperature: 0.9, TOP_P: 0.7 })
    expect(sent()).toEqual({
      model: "gpt-fake",
      temperature: 0.9,
      TOP_P: 0.7,
      x_new: { a: 1 },
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "hi" },
      ],
    })
    const own = [
      { role: "developer", content: "Rhyme.", name: "d" },
      { role: "user", content: "hi" },
    ]
    await chat("brief", {}, { messages: own })
    expect(sent()).toMatchObject({
      messages: [{ role: "developer", content: "Be brief.\n\nRhyme.", name: "d" }, own[1]],
    })
  })

  it("cannot override the request's streaming, model or messages", async () => {
    await made("odd", {
      params: { stream: true, stream_options: { x: 1 }, Model: "x", messages: [] },
    })
    const { status, body } = await chat("odd")
    expect({ status, object: body.object }).toEqual({ status: 200, object: "chat.completion" })
    const messages = [{ role: "user", content: "hi" }]
    expect(sent()).toEqual({ model: "gpt-fake", messages })
  })

  it("inherits from its base: the nearest parameters apply, and prompts are concatenated", async () => {
    await made("ground", { params: { system: "One.", temperature: 0.1, top_p: 0.1 } })
    await made("first", { base_model_id: "ground", params: { system: "Two.", temperature: 0.2 } })
    await made("second", { base_model_id: "first" })
    await chat("second")
    expect(sent()).toMatchObject({ model: "gpt-fake", temperature: 0.2, top_p: 0.1 })
    const { messages } = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? "")
    expect(messages[0].content).toBe("One.\n\nTwo.")
    await change("first", { is_active: false })
    expect((await chat("second")).status).toBe(404)
  })

  it("accepts a base without its tag, as runtimes do", async () => {
    await made("untagged", { base_model_id: "llama" })
    expect((await chat("untagged")).status).toBe(200)
    expect(sent()).toMatchObject({ model: "llama:latest" })
  })

  it("rejects a cyclic, too deep or unknown base", async () => {
    await made("a")
    await made("b", { base_model_id: "a" })
    await made("c", { base_model_id: "b" })
    const cycle = await change("a", { base_model_id: "c" })
    expect(cycle).toMatchObject({ status: 422, body: { errors: [{ path: "base_model_id" }] } })
    expect(cycle.body.detail).toMatch(/Choose another base model: "c" is itself based on "a"/)
    await made("d", { base_model_id: "c" })
    await made("e", { base_model_id: "d" })
    expect((await chat("e")).status).toBe(200)
    expect((await make("f", { base_model_id: "e" })).body.detail).toMatch(/at most 5 models/)
    expect((await make("g", { base_model_id: "none" })).body.detail).toMatch(/no model "none"/)
    expect((await make("h", { base_model_id: "h" }, ada)).status).toBe(422)
    expect((await get("a")).body.base_model_id).toBe("gpt-fake")
  })
})

describe("access to a workspace model", () => {
  it("is limited to its owner until granted", async () => {
    await made("mine", {}, ada)
    expect((await chat("mine", ada)).status).toBe(200)
    const [denied, unknown] = [await chat("mine", bob), await chat("none", bob)]
    expect(denied.status).toBe(404)
    expect(JSON.stringify(denied.body).replaceAll("mine", "none")).toBe(
      JSON.stringify(unknown.body),
    )
    expect(await listed(bob)).not.toContain("mine")
    expect((await get("mine", bob)).status).toBe(404)
    for (const principal of [bob.id, "*"]) {
      await change("mine", grant("read", principal), ada)
      expect((await chat("mine", bob)).status).toBe(200)
      expect((await change("mine", { name: "Theirs" }, bob)).status).toBe(403)
      await change("mine", { access_grants: [] }, ada)
      expect((await chat("mine", bob)).status).toBe(404)
    }
    await change("mine", grant("write", bob.id), ada)
    expect((await change("mine", { name: "Ours" }, bob)).body.name).toBe("Ours")
  })

  it("follows group membership", async () => {
    const { body: group } = await gateway.call("POST", "/api/v1/groups/create", { name: "crew" })
    await made("crewed", grant("read", group.id, "group"), ada)
    expect((await chat("crewed", bob)).status).toBe(404)
    const members = `/api/v1/groups/${group.id}/members`
    await gateway.call("POST", `${members}/add`, { user_ids: [bob.id] })
    expect((await chat("crewed", bob)).status).toBe(200)
    await gateway.call("POST", `${members}/remove`, { user_ids: [bob.id] })
    expect((await chat("crewed", bob)).status).toBe(404)
  })

  it("extends to the base through the owner's access only", async () => {
    expect((await chat("restricted", bob)).status).toBe(404)
    expect((await make("stolen", { base_model_id: "restricted" }, bob)).status).toBe(422)
    await made("lent", { base_model_id: "restricted", ...grant("write", bob.id) })
    expect((await chat("lent", bob)).status).toBe(200)
    await made("own", {}, bob)
    expect((await change("own", { base_model_id: "restricted" }, bob)).status).toBe(422)
    await made("on-lent", { base_model_id: "lent" }, bob)
    expect((await chat("on-lent", bob)).status).toBe(200)
    await change("lent", { access_grants: [] })
    expect((await chat("on-lent", bob)).status).toBe(404)
  })

  it("to other models cannot be blocked by taking their ids", async () => {
    expect((await make("restricted", {}, bob)).status).toBe(409)
    await made("tomorrow", {}, bob)
    upstream.models.push(createOpenAIModel("tomorrow"))
    const reply = await chat("tomorrow", ada)
    expect(reply.status === 404 || sent()).toMatchObject({ model: "tomorrow" })
    await gateway.gateway.registry.refresh(1000)
    expect((await chat("tomorrow", ada)).status).toBe(200)
    expect(sent()).toMatchObject({ model: "tomorrow" })
    expect(await listed(ada)).toContain("tomorrow")
    await made("gpt-fake", { base_model_id: "gpt-fake", ...grant("read", ada.id) })
    expect((await chat("gpt-fake", ada)).status).toBe(200)
    expect((await chat("gpt-fake", bob)).status).toBe(404)
    expect(await listed(bob)).not.toContain("gpt-fake")
  })

  it("is limited by an API key's allowed models, with 403", async () => {
    await made("open", grant("read", "*"))
    const scope = { name: "scoped", allowed_models: ["open"] }
    const { body } = await gateway.call("POST", "/api/v1/auths/api_keys", scope, ada)
    const scoped = { key: body.api_key }
    expect((await chat("open", scoped)).status).toBe(200)
    expect(await listed(scoped)).toEqual(["open"])
    for (const model of ["gpt-fake", "none"]) {
      expect(await chat(model, scoped)).toMatchObject({
        status: 403,
        body: { error: { param: "model" } },
      })
    }
  })
})
