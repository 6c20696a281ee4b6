import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { createOpenAIModel, type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitFor } from "../harness/usage-records.ts"
import { waitForModels } from "./wait-for-models.ts"

const base = "/api/v1/models"
const everyone = [{ principal_type: "user", principal_id: "*", permission: "write" }]

let upstream: FakeOpenAI
let gateway: TestGateway
let eve: { id: string; key: string }
let bob: { id: string; key: string }

beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake", "ground"] })
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
  await waitForModels(gateway, ["ground"])
  eve = await gateway.createUser("Eve")
  bob = await gateway.createUser("Bob")
})
beforeEach(async () => {
  const { body } = await gateway.call("GET", `${base}/list`)
  for (const { id } of body.items) {
    await gateway.call("POST", `${base}/model/delete`, { id, confirm: "delete" })
  }
  upstream.models.splice(
    0,
    upstream.models.length,
    createOpenAIModel("gpt-fake"),
    createOpenAIModel("ground"),
  )
  await gateway.gateway.registry.refresh(5000)
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

type Key = { key?: string }

/** Creates a model whose system prompt names its owner. */
const createModel = (id: string, owner: string, options: Key = {}, fields: object = {}) =>
  gateway.call(
    "POST",
    `${base}/create`,
    {
      id,
      name: id,
      base_model_id: "ground",
      params: { system: owner },
      access_grants: everyone,
      ...fields,
    },
    options,
  )

const addToConnection = async (...ids: string[]): Promise<void> => {
  upstream.models.push(...ids.map((id) => createOpenAIModel(id)))
  await gateway.gateway.registry.refresh(5000)
  await waitForModels(gateway, ids)
}

/** What answered: the owner named in the prompt, else the connection's model, else the status. */
const answererOf = async (model: string, options: Key = {}): Promise<string> => {
  const messages = [{ role: "user", content: "hi" }]
  const reply = await gateway.call("POST", "/v1/chat/completions", { model, messages }, options)
  if (reply.status !== 200) return String(reply.status)
  const content = reply.body.choices[0].message.content
  if (content === "from the function") return "function"
  const { json } = upstream.requests.at(-1) ?? {}
  const sent = json as { model: string; messages: { role: string; content: string }[] }
  return sent.messages.find(({ role }) => role === "system")?.content ?? sent.model
}

const allUsers = (): Key[] => [{}, eve, bob]

describe("a user's model", () => {
  it.each([
    ["gpt-later", "gpt-later", "gpt-later"],
    ["GPT-Later", "gpt-later", "404"],
    ["gpt-later", "GPT-Later", "404"],
    ["llama9", "llama9:latest", "llama9:latest"],
    ["Llama9", "llama9:latest", "404"],
    ["llama9:latest", "llama9:latest", "llama9:latest"],
    ["mistral9:latest", "mistral9", "404"],
    ["Straße", "STRASSE", "404"],
  ])(
    "named %s never takes precedence over a connection's %s added later",
    async (id, connectionModel, expected) => {
      expect((await createModel(id, "Eve's", eve)).status).toBe(200)
      expect(await answererOf(id, bob)).toBe("Eve's")
      await createModel("above", "Above.", {}, { base_model_id: id })
      await addToConnection(connectionModel)
      for (const user of allUsers()) {
        expect(await answererOf(id, user)).toBe(expected)
        expect(await answererOf(connectionModel, user)).toBe(connectionModel)
        const { body } = await gateway.call("GET", "/v1/models", undefined, user)
        const records = body.data.filter((record: { id: string }) =>
          [id, connectionModel].includes(record.id),
        )
        expect(records).toMatchObject([{ id: connectionModel, connections: [{}] }])
        expect(records[0].base_model_id).toBeUndefined()
      }
      expect(await answererOf("above", bob)).toBe(expected === "404" ? "404" : "Above.")
      const { json } = upstream.requests.at(-1) ?? {}
      if (expected !== "404") expect(json).toMatchObject({ model: connectionModel })
      // The owner can still read and delete it.
      const ownersView = await gateway.call(
        "GET",
        `${base}/model?id=${encodeURIComponent(id)}`,
        undefined,
        eve,
      )
      expect(ownersView.body).toMatchObject({ id, user_id: eve.id })
    },
  )

  it.each(["gpt-fake", "GPT-FAKE", "gpt-fake:latest", "Gpt-Fake:Latest"])(
    "cannot have a name like a connection's: %s",
    async (id) => {
      expect(await createModel(id, "Eve's", eve)).toMatchObject({
        status: 409,
        body: { code: "conflict" },
      })
    },
  )

  it.each(["house", "HOUSE", "house:latest"])(
    "cannot have a name like an administrator's, and yields to one created later: %s",
    async (id) => {
      await createModel(id, "Eve's", eve)
      expect(await answererOf(id, bob)).toBe("Eve's")
      const administrators = await createModel("House", "The administrator's")
      expect(administrators.status).toBe(200)
      expect(await answererOf("House", bob)).toBe("The administrator's")
      expect(await answererOf(id, bob)).toBe("404")
      await gateway.call("POST", `${base}/model/delete`, { id })
      expect((await createModel(id, "Eve's", eve)).status).toBe(409)
    },
  )

  it("answers again once nothing else has its name", async () => {
    await createModel("sometimes", "Eve's", eve)
    await addToConnection("sometimes")
    expect(await answererOf("sometimes", bob)).toBe("sometimes")
    upstream.models.pop()
    await gateway.gateway.registry.refresh(5000)
    await waitFor(() => !gateway.gateway.registry.endpoints().has("sometimes"))
    expect(await answererOf("sometimes", bob)).toBe("Eve's")
  })

  it("gains no precedence from an administrator's update or import", async () => {
    await createModel("mine", "Eve's", eve)
    await gateway.call("POST", `${base}/model/update?id=mine`, { name: "Changed" })
    const entry = { id: "mine", name: "Taken in", base_model_id: "ground" }
    const imported = await gateway.call("POST", `${base}/import`, { models: [entry] })
    expect(imported.body).toEqual({ created: [], updated: ["mine"] })
    await addToConnection("mine")
    expect(await answererOf("mine", eve)).toBe("mine")
    const update = `${base}/model/update?id=mine`
    const changed = await gateway.call("POST", update, { id: "gpt-fake", name: "N" }, eve)
    expect(changed.body).toMatchObject({ id: "mine", user_id: eve.id })
    expect(await answererOf("gpt-fake", bob)).toBe("gpt-fake")
  })
})

it("an administrator's model takes precedence over a function, and a function over a connection's model", async () => {
  await addToConnection("several")
  expect(await answererOf("several", bob)).toBe("several")
  const content = "export const reply = () => 'from the function'"
  const fn = { id: "several", name: "Several", content, access_grants: everyone }
  const made = await gateway.call("POST", "/api/v1/functions/create", fn)
  expect(made.status).toBe(200)
  expect(await answererOf("several", bob)).toBe("function")
  expect((await createModel("Several", "Eve's", eve)).status).toBe(409)
  await createModel("several", "The administrator's")
  expect(await answererOf("several", bob)).toBe("The administrator's")
  await gateway.call("DELETE", "/api/v1/functions/id/several/delete")
})

it("a user who loses the administrator role loses precedence, and regains it with the role", async () => {
  const carol = await gateway.createUser("Carol")
  const setRole = async (name: string) =>
    gateway.call("POST", `/api/v1/users/${carol.id}/update`, { role: name })
  await setRole("admin")
  expect((await createModel("gpt-fake", "Carol's", carol)).status).toBe(200)
  expect(await answererOf("gpt-fake", bob)).toBe("Carol's")
  await setRole("user")
  await expect.poll(() => answererOf("gpt-fake", bob)).toBe("gpt-fake")
  expect(await answererOf("gpt-fake", carol)).toBe("gpt-fake")
  await setRole("admin")
  await expect.poll(() => answererOf("gpt-fake", bob)).toBe("Carol's")
})
