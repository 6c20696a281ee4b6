import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const path = "/api/v1/limits"
const model = "gpt-fake"
const messages = [{ role: "user" as const, content: "one two three" }]

describe("limits and official SDKs with their usual retries:", () => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let user: Awaited<ReturnType<TestGateway["createUser"]>>
  let responses: { status: number; headers: Headers; at: number }[] = []

  beforeAll(async () => {
    upstream = await startFakeOpenAI()
    gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
    await waitForModels(gateway, [model])
    user = await gateway.createUser("Eve")
  })
  beforeEach(async () => {
    responses = []
    const { body } = await gateway.call("GET", path)
    for (const { id } of body.items) await gateway.call("DELETE", `${path}/${id}`)
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const observedFetch: typeof fetch = async (...request) => {
    const response = await fetch(...request)
    responses.push({ status: response.status, headers: response.headers, at: performance.now() })
    return response
  }
  const openai = () =>
    new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: user.key, fetch: observedFetch })
  const anthropic = () =>
    new Anthropic({ baseURL: gateway.url, apiKey: user.key, fetch: observedFetch })

  const limit = async (values: object): Promise<void> => {
    const body = { target: { type: "user", id: user.id }, metric: "requests", ...values }
    expect((await gateway.call("POST", path, body)).status).toBe(200)
  }

  const sdks: [name: string, ask: () => Promise<unknown>][] = [
    ["openai, Chat Completions", () => openai().chat.completions.create({ model, messages })],
    ["openai, Responses", () => openai().responses.create({ model, input: "one two three" })],
    [
      "@anthropic-ai/sdk, Messages",
      () => anthropic().messages.create({ model, messages, max_tokens: 10 }),
    ],
  ]

  it.each(sdks)("%s waits as long as a limit per minute asks for", async (_name, ask) => {
    await limit({ amount: 30, window: "minute" })
    // The limit is refilled meanwhile.
    do {
      responses = []
      await ask()
    } while (responses[0]?.status !== 429)
    const [rejected, repeated] = responses
    expect(responses.at(-1)?.status).toBe(200)
    const waitMs = Number(rejected?.headers.get("retry-after")) * 1000
    expect(waitMs).toBeGreaterThan(0)
    expect((repeated?.at ?? 0) - (rejected?.at ?? 0)).toBeGreaterThan(waitMs - 50)
    expect(responses).toHaveLength(2)
  })

  it.each(sdks)("%s fails at once when a limit is used up", async (_name, ask) => {
    await limit({ amount: 0, window: "day" })
    const error = await ask().then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({
      status: 429,
      message: expect.stringContaining("requests per day for your account"),
    })
    expect(error).toSatisfy(
      (thrown) =>
        thrown instanceof OpenAI.RateLimitError || thrown instanceof Anthropic.RateLimitError,
    )
    if (error instanceof OpenAI.RateLimitError) expect(error.code).toBe("insufficient_quota")
    expect(responses).toHaveLength(1)
  })
})
