import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { FakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases } from "../harness/databases.ts"
import type { TestGateway } from "../harness/gateway.ts"
import { maxDelayMs } from "../harness/timing.ts"
import { createChatClient, followEventStream, type StreamEvent } from "./chat-client.ts"
import { startChatTestbed } from "./chat-testbed.ts"

const longText = Array.from({ length: 40 }, (_, index) => `word${index}`).join(" ")
const answerText = `You said: ${longText}`

describe.each(chooseDatabases())("an answer on $name", ({ createDatabase }) => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let stop: () => Promise<void>
  let ada: ReturnType<typeof createChatClient>
  let key: string

  beforeAll(async () => {
    ;({ gateway, upstream, stop } = await startChatTestbed(createDatabase))
    ;({ key } = await gateway.createUser("Grace"))
    ada = createChatClient(gateway, key)
  })
  afterEach(() => upstream.clearFaults())
  afterAll(() => stop())

  /** Starts a slow answer of about 40 pieces. */
  const startSlowAnswer = async (ms = 25) => {
    upstream.injectFault({ kind: "slow_frames", ms }, { on: /chat/ })
    const id = await ada.createChat()
    const started = await ada.call("POST", `/${id}/messages`, { content: longText })
    const answerId: string = started.body.messages[1].id
    return { id, answerId, seq: started.body.seq as number }
  }
  const hasEnded =
    (id: string) =>
    ({ name, data }: StreamEvent): boolean =>
      name === "message" && data.id === id && data.state !== "running"
  const isDelta = ({ name }: StreamEvent): boolean => name === "delta"
  const answerOf = async (id: string) => (await ada.call("GET", `/${id}`)).body.messages[1]

  /** Waits until more than `length` characters have been generated. */
  const waitForText = (id: string, length: number) =>
    expect.poll(async () => (await answerOf(id)).content.length).toBeGreaterThan(length)

  it("is completed even if no client follows it", async () => {
    const { id } = await startSlowAnswer(5)
    await expect.poll(async () => (await answerOf(id)).state).toBe("completed")
    expect((await answerOf(id)).content).toBe(answerText)
  })

  it("never loses text between two readings, even as it ends", async () => {
    /** The lengths of the answer in successive readings, until its end. */
    const readToEnd = async (id: string): Promise<number[]> => {
      const lengths = []
      let answer = { state: "running", content: "" }
      while (answer.state === "running") {
        answer = await answerOf(id)
        lengths.push(answer.content.length)
      }
      lengths.push((await answerOf(id)).content.length)
      return lengths
    }
    for (let round = 0; round < 10; round++) {
      const { id } = await startSlowAnswer(1)
      const readings = await Promise.all(Array.from({ length: 8 }, () => readToEnd(id)))
      for (const lengths of readings) expect(lengths).toEqual([...lengths].sort((a, b) => a - b))
    }
  })

  it("resumes after a page reload without loss or repetition", async () => {
    const { id, answerId, seq } = await startSlowAnswer()
    const before = await ada.follow(id, seq)
    await before.waitFor(isDelta)
    before.leave()
    const seen = before.last()
    const half = before.text(answerId)
    await waitForText(id, half.length)
    const after = await ada.follow(id, seen)
    await after.waitFor(hasEnded(answerId))
    after.leave()
    const deltas = after.events.filter(isDelta).map(({ data }) => data.content)
    expect(half + deltas.join("")).toBe(answerText)
    const ids = [...before.events, ...after.events].map((event) => event.id)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it("is complete for a reader who joins halfway", async () => {
    const { id, answerId } = await startSlowAnswer()
    await waitForText(id, 10)
    const { body } = await ada.call("GET", `/${id}`)
    expect(body.messages[1].state).toBe("running")
    expect(body.messages[1].content.length).toBeGreaterThan(10)
    const late = await ada.follow(id)
    const snapshot = await late.waitFor(({ name }) => name === "snapshot")
    expect(answerText.startsWith(snapshot.data.messages[1].content)).toBe(true)
    await late.waitFor(hasEnded(answerId))
    expect(late.text(answerId)).toBe(answerText)
    late.leave()
  })

  it("is the same for two concurrent readers", async () => {
    const { id, answerId, seq } = await startSlowAnswer(10)
    const both = await Promise.all([ada.follow(id, seq), ada.follow(id)])
    for (const one of both) await one.waitFor(hasEnded(answerId))
    expect(both.map((one) => one.text(answerId))).toEqual([answerText, answerText])
    for (const one of both) one.leave()
  })

  it("can be stopped, which saves the partial answer and aborts the request to the provider", async () => {
    const { id, answerId, seq } = await startSlowAnswer(150)
    const following = await ada.follow(id, seq)
    await following.waitFor(({ name, data }) => name === "delta" && data.content_at > 10)
    const requested = performance.now()
    expect((await ada.call("POST", `/${id}/stop`, {})).status).toBe(200)
    const stopped = await answerOf(id)
    expect(performance.now() - requested).toBeLessThan(maxDelayMs)
    expect(stopped.state).toBe("stopped")
    expect(stopped.content.length).toBeGreaterThan(3)
    expect(answerText.startsWith(stopped.content)).toBe(true)
    await following.waitFor(hasEnded(answerId))
    await upstream.requests.at(-1)?.aborted
    following.leave()
  })

  it("can be stopped without stopping another side by side with it", async () => {
    upstream.injectFault({ kind: "slow_frames", ms: 20 }, { on: /chat/, times: 2 })
    const id = await ada.createChat()
    const models = ["gpt-fake", "gpt-fake"]
    const started = await ada.call("POST", `/${id}/messages`, { content: longText, models })
    const [, one] = started.body.messages
    await ada.call("POST", `/${id}/stop`, { message_id: one.id })
    await expect
      .poll(async () => {
        const { body } = await ada.call("GET", `/${id}`)
        return body.messages.map(({ state }: { state: string }) => state)
      })
      .toEqual(["completed", "stopped", "completed"])
  })

  it("cannot be replied to while it is being generated", async () => {
    const { id, answerId } = await startSlowAnswer(30)
    const early = await ada.call("POST", `/${id}/messages`, { content: "and?" })
    expect(early).toMatchObject({ status: 409, body: { code: "conflict" } })
    const repeated = await ada.call("POST", `/${id}/messages`, { continue_id: answerId })
    expect(repeated.status).toBe(409)
    await ada.call("POST", `/${id}/stop`, {})
  })

  it("ends when the user's account is deactivated", async () => {
    const other = await gateway.createUser("Leaver")
    const leaver = createChatClient(gateway, other.key)
    upstream.injectFault({ kind: "slow_frames", ms: 50 }, { on: /chat/ })
    const id = await leaver.createChat()
    const started = await leaver.call("POST", `/${id}/messages`, { content: longText })
    const following = await leaver.follow(id, started.body.seq)
    await following.waitFor(isDelta)
    await gateway.call("POST", `/api/v1/users/${other.id}/update`, { active: false })
    await following.ended
    await upstream.requests.at(-1)?.aborted
    await gateway.call("POST", `/api/v1/users/${other.id}/update`, { active: true })
  })

  it("is announced to all open pages of its owner, and to no one else's", async () => {
    const eve = await gateway.createUser("Eve")
    const id = await ada.createChat()
    const follow = (of: string) => followEventStream(gateway.url, "/api/v1/events", of)
    const [foreign, ...own] = await Promise.all([follow(eve.key), follow(key), follow(key)])
    for (const page of [foreign, ...own]) await page.waitFor(({ name }) => name === "ready")
    await ada.sendMessage(id, { content: "x" })
    for (const page of own) {
      await page.waitFor(({ name, data }) => name === "chats" && data.id === id)
    }
    // Published last: once Eve's page has it, everything sent to that page before has also arrived.
    const evesId = await createChatClient(gateway, eve.key).createChat()
    await foreign.waitFor(({ name, data }) => name === "chats" && data.id === evesId)
    const chats = foreign.events.filter(({ name }) => name === "chats")
    expect(chats.filter(({ data }) => data.id !== evesId)).toEqual([])
    for (const page of [foreign, ...own]) page.leave()
  })

  it("does not contain the reasoning of models that write it into their text", async () => {
    const id = await ada.createChat()
    const [, answer] = await ada.sendMessage(id, { content: "x" })
    expect(answer.reasoning).toBe("")
    const frame = (content: string): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
    const pieces = ["<th", "ink>I wonder", " whether</th", "ink>\n\nYes, <think> is a tag."]
    const words = `${pieces.map(frame).join("")}data: [DONE]\n\n`
    upstream.injectFault({ kind: "last_words", after: 0, frame: words }, { on: /chat/ })
    const [, thoughtful] = await ada.sendMessage(id, { content: "y" })
    expect(thoughtful.reasoning).toBe("I wonder whether")
    expect(thoughtful.content).toBe("Yes, <think> is a tag.")
  })

  it("can contain text that a database might reject", async () => {
    const id = await ada.createChat()
    const frame = `data: {"choices":[{"index":0,"delta":{"content":"a\\u0000b \\ud83d"}}]}\n\ndata: {"choices":[{"index":0,"delta":{"content":"\\ude00 \\ud83d"},"finish_reason":"stop"}]}\n\n`
    upstream.injectFault({ kind: "last_words", after: 0, frame }, { on: /chat/ })
    const [, answer] = await ada.sendMessage(id, { content: "odd" })
    expect(answer).toMatchObject({ state: "completed", content: "ab 😀 \ufffd" })
  })
})
