import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { createOpenAIModel, type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "./wait-for-models.ts"

const base = "/api/v1/models"

let upstream: FakeOpenAI
let restrictedUpstream: FakeOpenAI
let gateway: TestGateway
let ada: { id: string; key: string }
let bob: { id: string; key: string }

beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake", "llama:latest"] })
  restrictedUpstream = await startFakeOpenAI({ models: ["restricted"] })
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
  const connection = {
    kind: "openai",
    name: "closed",
    base_url: restrictedUpstream.url,
    access_grants: [],
  }
  await gateway.call("POST", "/api/v1/connections/create", connection)
  await waitForModels(gateway, ["restricted", "gpt-fake"])
  ada = await gateway.createUser("Ada2")
  bob = await gateway.createUser("Bob")
})
beforeEach(async () => {
  const { body } = await gateway.call("GET", `${base}/list`)
  for (const { id } of body.items) {
    await gateway.call("POST", `${base}/model/delete`, { id, confirm: "delete" })
  }
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
  await restrictedUpstream.close()
})

type Key = { key?: string }
const tryCreateModel = async (id: string, fields: object = {}, options: Key = {}) => {
  const model = { id, name: `The ${id}`, base_model_id: "gpt-fake", ...fields }
  return gateway.call("POST", `${base}/create`, model, options)
}
const createModel = async (...args: Parameters<typeof tryCreateModel>) => {
  const reply = await tryCreateModel(...args)
  expect(reply).toMatchObject({ status: 200 })
  return reply.body
}
const updateModel = (id: string, changes: object, options: Key = {}) =>
  gateway.call("POST", `${base}/model/update?id=${encodeURIComponent(id)}`, changes, options)
const getModel = (id: string, options: Key = {}) =>
  gateway.call("GET", `${base}/model?id=${encodeURIComponent(id)}`, undefined, options)
const requestCompletion = (model: string, options: Key = {}, fields: object = {}) =>
  gateway.call(
    "POST",
    "/v1/chat/completions",
    { model, messages: [{ role: "user", content: "hi" }], ...fields },
    options,
  )
const listModelIds = async (options: Key = {}) => {
  const { body } = await gateway.call("GET", "/api/models", undefined, options)
  return body.data.map(({ id }: { id: string }) => id)
}
const lastUpstreamBody = () => upstream.requests.at(-1)?.json
const grantTo = (permission: string, principal_id: string, principal_type = "user") => ({
  access_grants: [{ principal_type, principal_id, permission }],
})

describe("a workspace model", () => {
  it("is created, listed, updated, disabled and deleted", async () => {
    const meta = { description: "Knows ships", tags: ["sea"] }
    const model = await createModel("sea/captain:1", { meta })
    expect(model).toMatchObject({ access_grants: [], is_active: true, base_model_id: "gpt-fake" })
    const entry = await gateway.call("GET", "/v1/models/sea/captain:1")
    expect(entry.body).toMatchObject({ name: "The sea/captain:1", tags: ["sea"], available: true })
    expect(entry.body).toMatchObject({ base_model_id: "gpt-fake", description: "Knows ships" })
    expect((await requestCompletion("sea/captain:1")).status).toBe(200)
    expect(lastUpstreamBody()).toMatchObject({ model: "gpt-fake" })
    expect((await updateModel("sea/captain:1", { name: "Captain" })).body).toMatchObject({
      name: "Captain",
      meta,
    })
    const toggle = `${base}/model/toggle?id=${encodeURIComponent("sea/captain:1")}`
    expect((await gateway.call("POST", toggle)).body.is_active).toBe(false)
    expect((await requestCompletion("sea/captain:1")).status).toBe(404)
    expect((await gateway.call("POST", toggle)).body.is_active).toBe(true)
    expect((await tryCreateModel("sea/captain:1")).status).toBe(409)
    await gateway.call("POST", `${base}/model/delete`, { id: "sea/captain:1" })
    expect((await requestCompletion("sea/captain:1")).status).toBe(404)
    expect((await getModel("sea/captain:1")).status).toBe(404)
  })

  it("merges concurrent changes to different fields", async () => {
    await createModel("shared")
    await Promise.all([
      updateModel("shared", { name: "Named" }),
      updateModel("shared", { params: { temperature: 1 } }),
      updateModel("shared", { meta: { description: "told" } }),
    ])
    const { body } = await getModel("shared")
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
    await createModel("brief", { params })
    await requestCompletion("brief", {}, { temperature: 0.9, TOP_P: 0.7 })
    expect(lastUpstreamBody()).toEqual({
      model: "gpt-fake",
      temperature: 0.9,
      TOP_P: 0.7,
      x_new: { a: 1 },
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "hi" },
      ],
    })
    const callerMessages = [
      { role: "developer", content: "Rhyme.", name: "d" },
      { role: "user", content: "hi" },
    ]
    await requestCompletion("brief", {}, { messages: callerMessages })
    expect(lastUpstreamBody()).toMatchObject({
      messages: [
        { role: "developer", content: "Be brief.\n\nRhyme.", name: "d" },
        callerMessages[1],
      ],
    })
  })

  it("cannot override the request's streaming, model or messages", async () => {
    await createModel("odd", {
      params: { stream: true, stream_options: { x: 1 }, Model: "x", messages: [] },
    })
    const { status, body } = await requestCompletion("odd")
    expect({ status, object: body.object }).toEqual({ status: 200, object: "chat.completion" })
    const messages = [{ role: "user", content: "hi" }]
    expect(lastUpstreamBody()).toEqual({ model: "gpt-fake", messages })
  })

  it("inherits from its base: the nearest parameters apply, and prompts are concatenated", async () => {
    await createModel("ground", { params: { system: "One.", temperature: 0.1, top_p: 0.1 } })
    await createModel("first", {
      base_model_id: "ground",
      params: { system: "Two.", temperature: 0.2 },
    })
    await createModel("second", { base_model_id: "first" })
    await requestCompletion("second")
    expect(lastUpstreamBody()).toMatchObject({ model: "gpt-fake", temperature: 0.2, top_p: 0.1 })
    const { messages } = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? "")
    expect(messages[0].content).toBe("One.\n\nTwo.")
    await updateModel("first", { is_active: false })
    expect((await requestCompletion("second")).status).toBe(404)
  })

  it("accepts a base without its tag, as runtimes do", async () => {
    await createModel("untagged", { base_model_id: "llama" })
    expect((await requestCompletion("untagged")).status).toBe(200)
    expect(lastUpstreamBody()).toMatchObject({ model: "llama:latest" })
  })

  it("rejects a cyclic, too deep or unknown base", async () => {
    await createModel("a")
    await createModel("b", { base_model_id: "a" })
    await createModel("c", { base_model_id: "b" })
    const cycle = await updateModel("a", { base_model_id: "c" })
    expect(cycle).toMatchObject({ status: 422, body: { errors: [{ path: "base_model_id" }] } })
    expect(cycle.body.detail).toMatch(/Choose another base model: "c" is itself based on "a"/)
    await createModel("d", { base_model_id: "c" })
    await createModel("e", { base_model_id: "d" })
    expect((await requestCompletion("e")).status).toBe(200)
    expect((await tryCreateModel("f", { base_model_id: "e" })).body.detail).toMatch(
      /at most 5 models/,
    )
    expect((await tryCreateModel("g", { base_model_id: "none" })).body.detail).toMatch(
      /Model "none" not found/,
    )
    expect((await tryCreateModel("h", { base_model_id: "h" }, ada)).status).toBe(422)
    expect((await getModel("a")).body.base_model_id).toBe("gpt-fake")
  })
})

describe("access to a workspace model", () => {
  it("is limited to its owner until granted", async () => {
    await createModel("mine", {}, ada)
    expect((await requestCompletion("mine", ada)).status).toBe(200)
    const [denied, unknown] = [
      await requestCompletion("mine", bob),
      await requestCompletion("none", bob),
    ]
    expect(denied.status).toBe(404)
    expect(JSON.stringify(denied.body).replaceAll("mine", "none")).toBe(
      JSON.stringify(unknown.body),
    )
    expect(await listModelIds(bob)).not.toContain("mine")
    expect((await getModel("mine", bob)).status).toBe(404)
    for (const principal of [bob.id, "*"]) {
      await updateModel("mine", grantTo("read", principal), ada)
      expect((await requestCompletion("mine", bob)).status).toBe(200)
      expect((await updateModel("mine", { name: "Theirs" }, bob)).status).toBe(403)
      await updateModel("mine", { access_grants: [] }, ada)
      expect((await requestCompletion("mine", bob)).status).toBe(404)
    }
    await updateModel("mine", grantTo("write", bob.id), ada)
    expect((await updateModel("mine", { name: "Ours" }, bob)).body.name).toBe("Ours")
  })

  it("follows group membership", async () => {
    const { body: group } = await gateway.call("POST", "/api/v1/groups/create", { name: "crew" })
    await createModel("crewed", grantTo("read", group.id, "group"), ada)
    expect((await requestCompletion("crewed", bob)).status).toBe(404)
    const members = `/api/v1/groups/${group.id}/members`
    await gateway.call("POST", `${members}/add`, { user_ids: [bob.id] })
    expect((await requestCompletion("crewed", bob)).status).toBe(200)
    await gateway.call("POST", `${members}/remove`, { user_ids: [bob.id] })
    expect((await requestCompletion("crewed", bob)).status).toBe(404)
  })

  it("extends to the base through the owner's access only", async () => {
    expect((await requestCompletion("restricted", bob)).status).toBe(404)
    expect((await tryCreateModel("stolen", { base_model_id: "restricted" }, bob)).status).toBe(422)
    await createModel("lent", { base_model_id: "restricted", ...grantTo("write", bob.id) })
    expect((await requestCompletion("lent", bob)).status).toBe(200)
    await createModel("own", {}, bob)
    expect((await updateModel("own", { base_model_id: "restricted" }, bob)).status).toBe(422)
    await createModel("on-lent", { base_model_id: "lent" }, bob)
    expect((await requestCompletion("on-lent", bob)).status).toBe(200)
    await updateModel("lent", { access_grants: [] })
    expect((await requestCompletion("on-lent", bob)).status).toBe(404)
  })

  it("to other models cannot be blocked by taking their ids", async () => {
    expect((await tryCreateModel("restricted", {}, bob)).status).toBe(409)
    await createModel("tomorrow", {}, bob)
    upstream.models.push(createOpenAIModel("tomorrow"))
    const reply = await requestCompletion("tomorrow", ada)
    expect(reply.status === 404 || lastUpstreamBody()).toMatchObject({ model: "tomorrow" })
    await gateway.gateway.registry.refresh(1000)
    expect((await requestCompletion("tomorrow", ada)).status).toBe(200)
    expect(lastUpstreamBody()).toMatchObject({ model: "tomorrow" })
    expect(await listModelIds(ada)).toContain("tomorrow")
    await createModel("gpt-fake", { base_model_id: "gpt-fake", ...grantTo("read", ada.id) })
    expect((await requestCompletion("gpt-fake", ada)).status).toBe(200)
    expect((await requestCompletion("gpt-fake", bob)).status).toBe(404)
    expect(await listModelIds(bob)).not.toContain("gpt-fake")
  })

  it("is limited by an API key's allowed models, with 403", async () => {
    await createModel("open", grantTo("read", "*"))
    const scope = { name: "scoped", allowed_models: ["open"] }
    const { body } = await gateway.call("POST", "/api/v1/auths/api_keys", scope, ada)
    const scoped = { key: body.api_key }
    expect((await requestCompletion("open", scoped)).status).toBe(200)
    expect(await listModelIds(scoped)).toEqual(["open"])
    for (const model of ["gpt-fake", "none"]) {
      expect(await requestCompletion(model, scoped)).toMatchObject({
        status: 403,
        body: { error: { param: "model" } },
      })
    }
  })
})
