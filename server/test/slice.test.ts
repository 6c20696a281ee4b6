import { afterAll, beforeAll, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "./fakes/openai.ts"
import { startGateway, type TestGateway } from "./gateway.ts"

let upstream: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startFakeOpenAI({ apiKey: "up-key" })
  gateway = await startGateway({
    OPENAI_API_BASE_URLS: upstream.url,
    OPENAI_API_KEYS: "up-key",
  })
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

it("chats over every alias", async () => {
  for (const prefix of ["/v1", "/api", "/api/v1"]) {
    const { status, body } = await gateway.call("POST", `${prefix}/chat/completions`, {
      model: "gpt-fake",
      messages: [{ role: "user", content: "hello" }],
    })
    expect(status).toBe(200)
    expect(body.choices[0].message.content).toBe("You said: hello")
  }
})
