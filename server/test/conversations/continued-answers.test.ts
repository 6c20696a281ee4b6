import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { FakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases } from "../harness/databases.ts"
import type { TestGateway } from "../harness/gateway.ts"
import { createChatClient } from "./chat-client.ts"
import { startChatTestbed } from "./chat-testbed.ts"

describe.each(chooseDatabases())("an answer in two runs on $name", ({ createDatabase }) => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let stop: () => Promise<void>
  let ada: ReturnType<typeof createChatClient>

  beforeAll(async () => {
    ;({ gateway, upstream, stop } = await startChatTestbed(createDatabase))
    ada = createChatClient(gateway, gateway.key)
  })
  afterEach(() => upstream.clearFaults())
  afterAll(() => stop())

  it("counts the tokens and the time of both, and the first token of the first", async () => {
    const id = await ada.createChat()
    const [, first] = await ada.sendMessage(id, { content: "one two three" })
    expect(first.tokens_out).toBeGreaterThan(0)
    // Measured again, the first token of the continuation would come later.
    upstream.injectFault({ kind: "slow_frames", ms: 300 }, { on: /chat/ })
    const [second] = await ada.sendMessage(id, { continue_id: first.id })
    expect(second.id).toBe(first.id)
    expect(second.content.length).toBeGreaterThan(first.content.length)
    expect(second.tokens_in).toBeGreaterThan(first.tokens_in)
    expect(second.tokens_out).toBeGreaterThan(first.tokens_out)
    expect(second.duration_ms).toBeGreaterThan(first.duration_ms)
    expect(second.time_to_first_token_ms).toBe(first.time_to_first_token_ms)
  })

  it("tells how long the model thought", async () => {
    const id = await ada.createChat({ models: ["gpt-reason-fake"] })
    upstream.injectFault({ kind: "slow_frames", ms: 50 }, { on: /chat/ })
    const [, thoughtful] = await ada.sendMessage(id, {
      content: "a longer question to think about",
    })
    expect(thoughtful.reasoning).not.toBe("")
    expect(thoughtful.thinking_ms).toBeGreaterThan(0)
    expect(thoughtful.thinking_ms).toBeLessThan(thoughtful.duration_ms)
    const [, plain] = await ada.sendMessage(await ada.createChat(), { content: "x" })
    expect(plain.thinking_ms).toBeNull()
  })

  it("is not an error in the usage when its user stops it", async () => {
    const stopper = await gateway.createUser("Stopper")
    const client = createChatClient(gateway, stopper.key)
    upstream.injectFault({ kind: "slow_frames", ms: 50 }, { on: /chat/ })
    const id = await client.createChat()
    await client.call("POST", `/${id}/messages`, { content: "one two three four five six" })
    await client.call("POST", `/${id}/stop`, {})
    upstream.injectFault({ kind: "status", status: 400 }, { on: /chat/ })
    await client.sendMessage(await client.createChat(), { content: "refused" })
    const usage = async () => {
      const { body } = await gateway.call("GET", `/api/v1/usage?user_id=${stopper.id}`)
      return body.items[0]
    }
    await expect.poll(usage).toMatchObject({ requests: 2, errors: 1 })
  })
})
