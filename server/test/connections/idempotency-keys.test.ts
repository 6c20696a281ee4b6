import { describe, expect, it } from "vitest"
import { setUpOpenAI } from "./openai-testbed.ts"

const model = "gpt-fake"
const messages = [{ role: "user", content: "hello" }]
const sent = "order-1"

describe("idempotency keys under a provider key that users share", () => {
  const testbed = setUpOpenAI(model)

  const forwardedKeyOf = async (path: string, key: string): Promise<unknown> => {
    const { gateway, upstream } = testbed()
    const headers = { "idempotency-key": sent }
    const fields = path.endsWith("responses") ? { input: "hello" } : { messages, max_tokens: 9 }
    const answer = await gateway.call("POST", path, { model, ...fields }, { key, headers })
    expect(answer.status).toBe(200)
    return upstream.requests.at(-1)?.headers["idempotency-key"]
  }

  it.each(["/v1/chat/completions", "/v1/messages", "/v1/responses", "/openai/chat/completions"])(
    "differ between users at %s, and stay the same for one user",
    async (path) => {
      const { gateway } = testbed()
      const [ada, eve] = [await gateway.createUser(`A${path.length}`), gateway.key]
      const first = await forwardedKeyOf(path, ada.key)
      expect(first).toMatch(/^[\da-f]{64}$/)
      expect(await forwardedKeyOf(path, ada.key)).toBe(first)
      expect(await forwardedKeyOf(path, eve)).not.toBe(first)
    },
  )
})
