import Anthropic from "@anthropic-ai/sdk"
import type { MessageParam, Tool } from "@anthropic-ai/sdk/resources"
import { startFakeAnthropic } from "../fakes/anthropic.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway } from "../harness/gateway.ts"
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

/** Starts a gateway in front of fakes of OpenAI and Anthropic, and Anthropic's SDK as its client. */
export const startMessagesTestbed = async (env: Record<string, string> = {}) => {
  const openai = await startFakeOpenAI()
  const anthropic = await startFakeAnthropic()
  const gateway = await startGateway({
    OPENAI_API_BASE_URL: openai.url,
    OPENAI_API_KEY: "openai-key",
    ANTHROPIC_BASE_URL: anthropic.origin,
    ANTHROPIC_API_KEY: "anthropic-key",
    ...env,
  })
  await waitForModels(gateway, [chatModel, claudeModel])
  const client = new Anthropic({ baseURL: gateway.url, apiKey: adminKey, maxRetries: 0 })
  return {
    openai,
    anthropic,
    gateway,
    client,
    stop: async () => {
      await gateway.stop()
      await openai.close()
      await anthropic.close()
    },
  }
}
