import { describe, expect, it } from "vitest"
import { openai } from "./openai.ts"

const tools = [{ type: "function", function: { name: "weather" } }]
const adapt = (request: object, baseUrl = "https://api.openai.com/v1") =>
  openai.adaptChatRequest?.({ ...request }, baseUrl)

describe("a converted request to OpenAI", () => {
  it("has the newer name of the token limit", () => {
    expect(adapt({ model: "gpt-4o", max_tokens: 5 })).toEqual({
      model: "gpt-4o",
      max_completion_tokens: 5,
    })
  })

  it.each(["gpt-5.5", "gpt-5.6-terra"])(
    "turns off the reasoning of %s if it has tools",
    (model) => {
      expect(adapt({ model, tools })).toEqual({ model, tools, reasoning_effort: "none" })
    },
  )

  it.each([
    { model: "gpt-5.6", tools: [] },
    { model: "gpt-5.6", reasoning_effort: "low" },
    { model: "gpt-5.4", tools },
    { model: "gpt-4o", tools },
  ])("is otherwise unchanged: %j", (request) => {
    expect(adapt(request)).toEqual(request)
  })

  it("is unchanged for other servers", () => {
    const request = { model: "gpt-5.6", tools, max_tokens: 5 }
    expect(adapt(request, "https://openrouter.ai/api/v1")).toEqual(request)
  })
})
