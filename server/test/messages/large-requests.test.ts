import { describe, expect, it } from "vitest"
import {
  chatModel,
  claudeModel,
  requestTo,
  testbed,
  useMessagesTestbed,
  weather,
} from "./messages-testbed.ts"

useMessagesTestbed()

/** Makes a body one that is converted in the thread for large bodies. */
const long = "long ä🐝 ".repeat(10_000)
const requestOf = (model: string, text: string) => ({
  ...requestTo(model),
  system: [{ type: "text", text, cache_control: { type: "ephemeral" } }],
  messages: [
    { role: "user", content: text },
    { role: "assistant", content: [{ type: "thinking", thinking: "Hm", signature: "" }] },
    { role: "user", content: [{ type: "text", text: "Hello" }] },
  ],
  tools: [weather],
  top_k: 5,
})

const withLong = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll("short", long))

describe("a large message", () => {
  it.each([chatModel, claudeModel])("reaches %s like a small one", async (model) => {
    const lastBody = (): object => {
      const { requests } = model === chatModel ? testbed.openai : testbed.anthropic
      return requests.findLast(({ method }) => method === "POST")?.json as object
    }
    const small = await testbed.send(requestOf(model, "short"))
    const expected = withLong(lastBody())
    const large = await testbed.send(requestOf(model, long))
    expect([small.status, large.status]).toEqual([200, 200])
    expect(lastBody()).toEqual(expected)
    expect(large.headers.get("x-portico-dropped")).toBe(small.headers.get("x-portico-dropped"))
  })

  it("is counted in the order of its length", async () => {
    const count = async (text: string): Promise<number> => {
      const { text: json } = await testbed.send(
        requestOf(chatModel, text),
        {},
        "/messages/count_tokens",
      )
      return JSON.parse(json).input_tokens
    }
    expect(await count(long)).toBeGreaterThan(1000 * (await count("short")) * 0.1)
  })

  it("is refused like a small one", async () => {
    const requestWith = (text: string) => ({
      ...requestOf(chatModel, text),
      mcp_servers: [{ type: "url", url: "https://example.com", name: "m" }],
    })
    const small = await testbed.send(requestWith("short"))
    const large = await testbed.send(requestWith(long))
    expect(small.status).toBe(400)
    const withoutId = (text: string) => ({ ...JSON.parse(text), request_id: "" })
    expect(withoutId(large.text)).toEqual(withoutId(small.text))
  })
})
