import { afterAll, beforeAll, expect, it } from "vitest"
import { type FakeOllama, startFakeOllama } from "../fakes/ollama.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { until, usageRecords } from "../harness/json-records.ts"
import { chatting } from "./chat-page.ts"

let provider: FakeOpenAI
let runtime: FakeOllama
let gateway: TestGateway

beforeAll(async () => {
  provider = await startFakeOpenAI({ apiKey: "up-key" })
  runtime = await startFakeOllama()
  gateway = await startGateway({
    OPENAI_API_BASE_URLS: provider.url,
    OPENAI_API_KEYS: "up-key",
    OLLAMA_BASE_URLS: runtime.url,
  })
})
afterAll(async () => {
  await gateway.stop()
  await provider.close()
  await runtime.close()
})

const sayHello = async (model: string) => {
  const ada = chatting(gateway, adminKey)
  const id = await ada.begin({ models: [model] })
  await ada.say(id, { content: "What is a tide?" })
  return async (): Promise<string> => (await ada.call("GET", `/${id}`)).body.title
}
const allow = (chat_titles: string) => gateway.call("POST", "/api/v1/settings", { chat_titles })
const givenTitle = /^You said: Write a title/

/** Resolves once a later chat has its title, so that one that is due to an earlier chat is given too. */
const waitForLaterTitle = async (model: string): Promise<void> =>
  expect.poll(await sayHello(model)).toMatch(givenTitle)

it("are given by a model that runs here, and cost nothing elsewhere", async () => {
  const named = await sayHello("llama3.2:latest")
  // The fake says what it was asked.
  await expect.poll(named).toMatch(givenTitle)
  const asked = provider.requests.length
  const worded = await sayHello("gpt-fake")
  await waitForLaterTitle("llama3.2:latest")
  expect(await worded()).toBe("What is a tide?")
  expect(provider.requests.slice(asked).filter(({ path }) => /chat/.test(path))).toHaveLength(1)
})

it("are given by any model, or by none, as an administrator says", async () => {
  await allow("any")
  await expect.poll(await sayHello("gpt-fake")).toMatch(givenTitle)
  await allow("words")
  const worded = await sayHello("llama3.2:latest")
  await allow("any")
  await waitForLaterTitle("llama3.2:latest")
  expect(await worded()).toBe("What is a tide?")
})

it("stay the words when the model fails at it", async () => {
  await allow("any")
  const ada = chatting(gateway, adminKey)
  const id = await ada.begin()
  provider.fault({ kind: "slow_frames", ms: 1 }, { on: /chat/ })
  provider.fault({ kind: "status", status: 500 }, { on: /chat/ })
  await ada.say(id, { content: "# **What** is a tide?" })
  // The answer was the first of the two faulty requests, its title is the second.
  await until(async () => (await usageRecords(gateway)).at(-1)?.outcome === "upstream_error")
  await waitForLaterTitle("gpt-fake")
  expect((await ada.call("GET", `/${id}`)).body.title).toBe("What is a tide?")
})
