import { afterAll, beforeAll, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { type FakeProxy, startFakeProxy } from "../fakes/proxy.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"

let near: FakeOpenAI
let far: FakeOpenAI
let proxy: FakeProxy
let gateway: TestGateway

beforeAll(async () => {
  near = await startFakeOpenAI({ models: ["near"] })
  far = await startFakeOpenAI({ models: ["far"], apiKey: "up-key" })
  proxy = await startFakeProxy()
  const farUrl = far.url.replace("127.0.0.1", "provider.example")
  gateway = await startGateway({
    OPENAI_API_BASE_URLS: `${near.url};${farUrl}`,
    OPENAI_API_KEYS: ";up-key",
    HTTP_PROXY: proxy.url,
  })
  await waitForModels(gateway, ["near", "far"])
})
afterAll(async () => {
  await gateway.stop()
  proxy.close()
  await near.close()
  await far.close()
})

it.each([false, true])(
  "requests reach a provider through the proxy (stream: %s)",
  async (stream) => {
    const before = proxy.requests.length
    for (const model of ["near", "far"]) {
      const request = { model, messages: [{ role: "user", content: "a b c" }], stream }
      const { status } = await gateway.call("POST", "/v1/chat/completions", request)
      expect(status).toBe(200)
    }
    const chats = proxy.requests.slice(before).filter(({ target }) => target.startsWith("POST"))
    expect(chats).toEqual([
      {
        target: expect.stringMatching(
          /^POST http:\/\/provider\.example:\d+\/v1\/chat\/completions$/,
        ),
        authorization: `Basic ${Buffer.from("user:secret").toString("base64")}`,
      },
    ])
    expect(far.requests.at(-1)?.headers).not.toHaveProperty("proxy-authorization")
  },
)

it("the proxy's password is not shown", async () => {
  const { body } = await gateway.call("GET", "/api/v1/connections")
  expect(JSON.stringify([body, gateway.logLines])).not.toContain("secret")
})
