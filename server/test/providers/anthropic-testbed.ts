import OpenAI from "openai"
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions"
import { startFakeAnthropic } from "../fakes/anthropic.ts"
import { adminKey, startGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"

export const model = "claude-fake"
export const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Hello" }]
export const weather = {
  type: "function" as const,
  function: { name: "weather", parameters: { type: "object", properties: {} } },
}

/** Starts a gateway in front of a fake of Anthropic, and OpenAI's SDK as its client. */
export const startAnthropicTestbed = async () => {
  const upstream = await startFakeAnthropic()
  const gateway = await startGateway({
    ANTHROPIC_BASE_URL: upstream.origin,
    ANTHROPIC_API_KEY: "anthropic-key",
  })
  await waitForModels(gateway, [model])
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: adminKey, maxRetries: 0 })
  return { upstream, gateway, client }
}
