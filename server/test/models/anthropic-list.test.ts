import Anthropic from "@anthropic-ai/sdk"
import type { ModelInfo } from "@anthropic-ai/sdk/resources"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { AnthropicModelInfo } from "../../src/models/anthropic-schema.ts"
import { createOpenAIModel, type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "./wait-for-models.ts"

let upstream: FakeOpenAI
let gateway: TestGateway
let client: Anthropic

const listedIds = ["claude-gpt-fake", "claude-opus", "Anthropic.sonnet", "claude-org/x:1"]

beforeAll(async () => {
  upstream = await startFakeOpenAI({
    models: [
      { ...createOpenAIModel("gpt-fake"), max_model_len: 8192 },
      { ...createOpenAIModel("claude-opus"), created: 1e300 },
      "Anthropic.sonnet",
      { ...createOpenAIModel("vectors"), capabilities: { embedding: true } },
      "text-embedding-fake",
      "org/x:1",
    ],
  })
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
  await waitForModels(gateway, ["org/x:1"])
  client = new Anthropic({ baseURL: gateway.url, apiKey: adminKey, maxRetries: 0 })
})
beforeEach(async () => {
  await gateway.call("POST", "/api/v1/settings", { claude_aliases: true })
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const collectIds = async (options: Anthropic.ModelListParams = {}): Promise<string[]> => {
  const ids: string[] = []
  for await (const { id } of client.models.list(options)) ids.push(id)
  return ids
}

const callAsAnthropic = (path: string) =>
  gateway.call("GET", path, undefined, { headers: { "anthropic-version": "2023-06-01" } })

describe("the models in Anthropic's format", () => {
  it("are those that can answer, each with every field of the API", async () => {
    const { data } = await client.models.list()
    expect(data.map(({ id }) => id)).toEqual(listedIds)
    // The types of the SDK must accept what the gateway sends.
    const sent: ModelInfo[] = data.map((model) => AnthropicModelInfo.parse(model))
    expect(sent).toEqual(data)
    expect(data[0]).toEqual({
      type: "model",
      id: "claude-gpt-fake",
      display_name: "gpt-fake",
      created_at: "2023-11-14T22:13:20.000Z",
      max_input_tokens: 8192,
      max_tokens: null,
      capabilities: null,
      lifecycle: "active",
      line: null,
      deprecated_at: null,
      retires_at: null,
    })
    expect(data[1]).toMatchObject({
      max_input_tokens: null,
      created_at: "1970-01-01T00:00:00.000Z",
    })
  })

  it("are paginated in both directions", async () => {
    for (const limit of [1, 2, 3, 1000]) expect(await collectIds({ limit })).toEqual(listedIds)
    const backward = ["claude-opus", "claude-gpt-fake"]
    expect(await collectIds({ limit: 1, before_id: "Anthropic.sonnet" })).toEqual(backward)
    expect((await callAsAnthropic("/v1/models?limit=2")).body).toMatchObject({
      first_id: listedIds[0],
      last_id: listedIds[1],
      has_more: true,
    })
    const last = await callAsAnthropic(`/v1/models?after_id=${listedIds.at(-1)}`)
    expect(last.body).toEqual({ data: [], first_id: null, last_id: null, has_more: false })
  })

  it("come 20 at a time if the client sets no limit", async () => {
    const more = Array.from({ length: 20 }, (_, at) => createOpenAIModel(`more-${at}`))
    upstream.models.push(...more)
    await gateway.gateway.registry.refresh(5000)
    const page = await client.models.list()
    expect([page.data.length, page.has_more]).toEqual([20, true])
    expect(await collectIds()).toHaveLength(listedIds.length + more.length)
    upstream.models.splice(-more.length)
    await gateway.gateway.registry.refresh(5000)
  })

  it("rejects an invalid page in the format of the API", async () => {
    for (const query of [
      "limit=0",
      "limit=1001",
      "limit=x",
      "limit=",
      "limit=1.5",
      "after_id=gone",
      "before_id=gone",
      "after_id=claude-opus&before_id=claude-opus",
    ]) {
      const { status, body } = await callAsAnthropic(`/v1/models?${query}`)
      const error = { type: "invalid_request_error", message: expect.any(String) }
      expect({ query, status, body }).toEqual({
        query,
        status: 400,
        body: { type: "error", error },
      })
    }
  })

  it("can be retrieved by their id or their alias", async () => {
    const { data } = await client.models.list()
    for (const model of data) {
      expect(await client.models.retrieve(model.id)).toEqual(model)
    }
    expect(await client.models.retrieve("org/x:1")).toMatchObject({ id: "claude-org/x:1" })
    const unknown = client.models.retrieve("claude-nothing")
    await expect(unknown).rejects.toMatchObject({ status: 404, type: "not_found_error" })
  })

  it("are listed under every alias of the route", async () => {
    for (const prefix of ["/api", "/api/v1", "/v1"]) {
      expect((await callAsAnthropic(`${prefix}/models?limit=1`)).body).toHaveProperty("first_id")
    }
  })
})

describe("names for Claude Code", () => {
  it("are given to single models while the setting is off", async () => {
    await gateway.call("POST", "/api/v1/settings", { claude_aliases: false })
    const create = (id: string, meta: object) =>
      gateway.call("POST", "/api/v1/models/create", {
        id,
        name: `The ${id}`,
        base_model_id: "gpt-fake",
        meta,
      })
    await create("named", { claude_alias: true })
    await create("plain", {})
    const own = ["named", "plain", "gpt-fake", "claude-opus", "Anthropic.sonnet", "org/x:1"]
    expect(await collectIds()).toEqual(["claude-named", ...own.slice(1)])
    expect(await client.models.retrieve("named")).toMatchObject({
      id: "claude-named",
      display_name: "The named",
    })
    expect(await client.models.retrieve("claude-plain")).toMatchObject({ id: "plain" })

    const update = "/api/v1/models/model/update?id=named"
    await gateway.call("POST", update, { meta: { claude_alias: false } })
    expect(await collectIds()).toEqual(own)
    const { body } = await gateway.call("GET", "/api/v1/models/list?query=named")
    expect(body.items[0].meta).toMatchObject({ claude_alias: false })
    for (const id of ["named", "plain"]) {
      await gateway.call("POST", "/api/v1/models/model/delete", { id })
    }
  })

  it("are not listed if they are another model's id, or if the model is disabled", async () => {
    const create = (id: string, is_active: boolean) =>
      gateway.call("POST", "/api/v1/models/create", {
        id,
        name: id,
        base_model_id: "org/x:1",
        is_active,
      })
    await create("claude-gpt-fake", true)
    await create("asleep", false)
    const ids = await collectIds()
    expect(ids).toEqual(["claude-gpt-fake", "gpt-fake", ...listedIds.slice(1)])
    for (const id of ["claude-gpt-fake", "asleep"]) {
      await gateway.call("POST", "/api/v1/models/model/delete", { id })
    }
  })
})
