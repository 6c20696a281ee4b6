import { afterAll, beforeAll, expect, it } from "vitest"
import { ModelList } from "../../src/models/schema.ts"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { createOllamaModel } from "../fakes/ollama-models.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "./wait-for-models.ts"

let upstream: FakeOpenAI
let runtime: FakeOllama
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake"] })
  const capabilities = ["completion", "tools", "thinking", "vision"]
  runtime = await startFakeOllama({
    models: [
      createOllamaModel("plain", { capabilities: ["completion", "tools"] }),
      createOllamaModel("thinker", { capabilities, contextLength: 32_000 }),
      createOllamaModel("vectors", { capabilities: ["embedding"] }),
    ],
  })
  gateway = await startGateway({
    OLLAMA_BASE_URLS: runtime.url,
    OPENAI_API_BASE_URLS: upstream.url,
  })
  await waitForModels(gateway, ["plain:latest", "thinker:latest", "gpt-fake"])
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
  await runtime.close()
})

const listForCodex = async () => {
  const { body } = await gateway.call("GET", "/v1/models?client_version=0.171.0")
  return { body, models: ModelList.parse(body).models ?? [] }
}

it("lists the models that can answer as Codex expects them, next to OpenAI's list", async () => {
  const { body, models } = await listForCodex()
  expect(body).toMatchObject({ object: "list" })
  expect(body.data.map(({ id }: { id: string }) => id)).toContain("vectors:latest")
  expect(body.models).toEqual(models)
  expect(models.map(({ slug, priority }) => [slug, priority])).toEqual([
    ["plain:latest", 0],
    ["thinker:latest", 1],
    ["gpt-fake", 2],
  ])
  // Codex ignores the whole list if one of these is missing or has another value.
  for (const model of models) {
    expect(model).toMatchObject({
      display_name: expect.any(String),
      shell_type: "shell_command",
      visibility: "list",
      supported_in_api: true,
      base_instructions: expect.stringContaining("coding agent"),
      support_verbosity: false,
      apply_patch_tool_type: null,
      truncation_policy: { mode: "tokens", limit: 10_000 },
      experimental_supported_tools: [],
    })
  }
})

it("tells Codex what is known about each model", async () => {
  const { models } = await listForCodex()
  const [plain, thinker, unknown] = models
  expect(thinker).toMatchObject({
    context_window: 32_000,
    input_modalities: ["text", "image"],
    default_reasoning_level: "medium",
    supported_reasoning_levels: [{ effort: "low" }, { effort: "medium" }, { effort: "high" }],
  })
  expect(plain).toMatchObject({
    context_window: 8192,
    input_modalities: ["text"],
    default_reasoning_level: null,
    supported_reasoning_levels: [],
    supports_reasoning_summary_parameter: false,
  })
  expect(unknown).not.toHaveProperty("context_window")
  expect(unknown).toMatchObject({ input_modalities: ["text", "image"] })
})

it("keeps the list short for all other clients", async () => {
  expect((await gateway.call("GET", "/v1/models")).body).not.toHaveProperty("models")
})
