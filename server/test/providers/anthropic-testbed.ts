import OpenAI from "openai"
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions"
import { startFakeAnthropic } from "../fakes/anthropic.ts"
import type { JsonObject } from "../fakes/json.ts"
import { adminKey, startGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"

export const model = "claude-fake"
export const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "Hello" }]
export const weather = {
  type: "function" as const,
  function: { name: "weather", parameters: { type: "object", properties: {} } },
}

/**
 * Starts a gateway in front of a fake of Anthropic, and OpenAI's SDK as its client.
 * @param models of the fake, besides its usual one
 */
export const startAnthropicTestbed = async (
  models: Parameters<typeof startFakeAnthropic>[0] = [],
) => {
  const upstream = await startFakeAnthropic(models)
  const gateway = await startGateway({
    ANTHROPIC_BASE_URL: upstream.origin,
    ANTHROPIC_API_KEY: "anthropic-key",
  })
  await waitForModels(gateway, [model, ...models.map(({ id }) => id)])
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: adminKey, maxRetries: 0 })

  /** What reaches the provider, what was left out, and the error if the request was refused. */
  const convert = async (body: object, path: string) => {
    const { length } = upstream.requests
    const response = await gateway.call("POST", path, { model, ...body })
    const isSent = upstream.requests.length > length
    return {
      ...{ status: response.status, error: response.body.error },
      sent: isSent ? (upstream.lastBody() as unknown as JsonObject) : null,
      dropped: response.headers.get("x-portico-dropped"),
    }
  }
  return {
    ...{ upstream, gateway, client },
    chat: (body: object) => convert({ messages, ...body }, "/v1/chat/completions"),
    respond: (body: object) => convert({ input: "Hello", ...body }, "/v1/responses"),
  }
}
