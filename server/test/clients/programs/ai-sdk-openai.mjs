import { createOpenAI } from "@ai-sdk/openai"
import { tryAiSdk } from "./ai-sdk.mjs"

const { GATEWAY_URL, GATEWAY_KEY, MODEL } = process.env
const openai = createOpenAI({ baseURL: `${GATEWAY_URL}/v1`, apiKey: GATEWAY_KEY })

await tryAiSdk({
  options: { model: openai(MODEL) },
  unknownModel: openai("no-such-model"),
})
