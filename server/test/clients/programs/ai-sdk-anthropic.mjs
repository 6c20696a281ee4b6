import { createAnthropic } from "@ai-sdk/anthropic"
import { tryAiSdk } from "./ai-sdk.mjs"

const { GATEWAY_URL, GATEWAY_KEY, MODEL } = process.env
const anthropic = createAnthropic({ baseURL: `${GATEWAY_URL}/v1`, apiKey: GATEWAY_KEY })

await tryAiSdk({
  options: { model: anthropic(MODEL) },
  unknownModel: anthropic("no-such-model"),
})
