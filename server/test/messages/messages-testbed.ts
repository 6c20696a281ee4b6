import Anthropic from "@anthropic-ai/sdk"
import type { MessageParam, Tool } from "@anthropic-ai/sdk/resources"
import { afterAll, afterEach, beforeAll } from "vitest"
import type { GatewayOverrides } from "../../src/gateway-overrides.ts"
import { startFakeAnthropic } from "../fakes/anthropic.ts"
import { createChatAnswers } from "../fakes/chat-answers.ts"
import type { JsonObject } from "../fakes/json.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway } from "../harness/gateway.ts"
import { waitForUsageRecords } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"

export const chatModel = "gpt-fake"
export const reasoningModel = "gpt-reason-fake"
export const claudeModel = "claude-fake"
export const hello: MessageParam[] = [{ role: "user", content: "Hello from Anthropic's SDK" }]
export const weather: Tool = {
  name: "weather",
  description: "Looks up the weather.",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
}
/** A PNG of one pixel. */
export const image =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

/** A request's smallest members, as plain JSON. */
export const requestTo = (model: string) => ({ model, max_tokens: 100, messages: hello })

/** Starts a gateway in front of fakes of OpenAI and Anthropic, and Anthropic's SDK as its client. */
export const startMessagesTestbed = async (
  env: Record<string, string> = {},
  options: GatewayOverrides = {},
) => {
  const openai = await startFakeOpenAI()
  const anthropic = await startFakeAnthropic()
  const gateway = await startGateway(
    {
      OPENAI_API_BASE_URL: openai.url,
      OPENAI_API_KEY: "openai-key",
      ANTHROPIC_BASE_URL: anthropic.origin,
      ANTHROPIC_API_KEY: "anthropic-key",
      ...env,
    },
    options,
  )
  await waitForModels(gateway, [chatModel, claudeModel])
  const createClient = (apiKey: string) =>
    new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 })
  return {
    openai,
    anthropic,
    gateway,
    client: createClient(adminKey),
    createClient,
    ...createChatAnswers(openai, chatModel),

    /** Sends a request without the SDK, and reads the response as text. */
    send: async (
      body: object | string,
      headers: Record<string, string> = {},
      path = "/messages",
    ) => {
      const response = await fetch(`${gateway.url}/v1${path}`, {
        method: "POST",
        headers: { "x-api-key": adminKey, "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },

    /** The last chat completion that OpenAI's fake was asked for. */
    lastChatBody: () => {
      const request = openai.requests.findLast(({ path }) => path.endsWith("/chat/completions"))
      return request?.json as JsonObject
    },

    usageOf: async ({ headers }: { headers: Headers }) => {
      const records = await waitForUsageRecords(gateway, headers.get("x-request-id") ?? "")
      return records[0]
    },

    /** Between tests. */
    reset: (): void => {
      openai.clearFaults()
      anthropic.reset()
    },

    stop: async (): Promise<void> => {
      await gateway.stop()
      await openai.close()
      await anthropic.close()
    },
  }
}

export type MessagesTestbed = Awaited<ReturnType<typeof startMessagesTestbed>>

/** The testbed of the running test file. */
export let testbed: MessagesTestbed

/** Starts `testbed` for the tests of a file, and clears its fakes after each of them. */
export const useMessagesTestbed = (...settings: Parameters<typeof startMessagesTestbed>): void => {
  beforeAll(async () => {
    testbed = await startMessagesTestbed(...settings)
  })
  afterEach(() => testbed.reset())
  afterAll(() => testbed.stop())
}
