import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "./wait-for-models.ts"

const base = "/api/v1/models"

let upstream: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake"] })
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
  await waitForModels(gateway, ["gpt-fake"])
})
beforeEach(async () => {
  for (const { id } of (await exportModels()).body.models) {
    await gateway.call("POST", `${base}/model/delete`, { id, confirm: "delete" })
  }
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const exportModels = (key?: string) =>
  gateway.call("GET", `${base}/export`, undefined, key ? { key } : {})
const importModels = (models: object[], options: { key?: string } = {}) =>
  gateway.call("POST", `${base}/import`, { models }, options)
const createModel = async (model: object) =>
  expect(await gateway.call("POST", `${base}/create`, model)).toMatchObject({ status: 200 })
const entry = (id: string, fields: object = {}) => ({
  id,
  name: id,
  base_model_id: "gpt-fake",
  ...fields,
})

it("restores an export completely", async () => {
  const access_grants = [{ principal_type: "user", principal_id: "*", permission: "read" }]
  const params = { system: "S", temperature: 0 }
  await createModel(entry("one", { params, access_grants, is_active: false }))
  const meta = { description: "d", tags: ["t"], x: 1 }
  await createModel(entry("two", { base_model_id: "one", meta }))
  const { body: before } = await exportModels()
  for (const id of ["two", "one"])
    await gateway.call("POST", `${base}/model/delete`, { id, confirm: "delete" })
  const imported = await importModels(before.models.toReversed())
  expect(imported).toMatchObject({ status: 200, body: { updated: [] } })
  const { body } = await exportModels()
  const withoutTimes = ({ created_at, updated_at, ...model }: Record<string, unknown>) => model
  expect(body.models.map(withoutTimes)).toEqual(before.models.map(withoutTimes))
  expect((await importModels([entry("one", { name: "New" }), entry("three")])).body).toEqual({
    created: ["three"],
    updated: ["one"],
  })
})

it("imports all models or none", async () => {
  const { key } = await gateway.createUser("Eve")
  await createModel(entry("there"))
  const invalidImports: [object[], string][] = [
    [[entry("new"), entry("bad", { base_model_id: "none" })], "models.1.base_model_id"],
    [[entry("new"), entry("new")], "models.1.id"],
    [
      [entry("x", { base_model_id: "y" }), entry("y", { base_model_id: "x" })],
      "models.1.base_model_id",
    ],
    [[entry("there", { name: "Changed" }), entry("", {})], "models.1.id"],
  ]
  for (const [models, path] of invalidImports) {
    const { status, body } = await importModels(models)
    expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 422, path })
  }
  const { body } = await exportModels()
  expect(body.models).toMatchObject([{ id: "there", name: "there" }])
  const listed = await gateway.call("GET", "/v1/models")
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual(["there", "gpt-fake"])
  expect((await importModels([entry("new")], { key })).status).toBe(403)
  expect((await exportModels(key)).status).toBe(403)
})
