import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { createChatClient } from "./chat-client.ts"

const onePixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

describe.each(chooseDatabases())("chats on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let ada: ReturnType<typeof createChatClient>
  let eve: ReturnType<typeof createChatClient>

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI({ apiKey: "up-key" })
    gateway = await startGateway({
      ...database.env,
      OPENAI_API_BASE_URLS: upstream.url,
      OPENAI_API_KEYS: "up-key",
    })
    ada = createChatClient(gateway, (await gateway.createUser("Grace")).key)
    eve = createChatClient(gateway, (await gateway.createUser("Eve")).key)
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  it("stores a prompt and its answer, with token usage", async () => {
    const id = await ada.createChat()
    const [user, answer] = await ada.sendMessage(id, { content: "What does the tide do at Brest?" })
    expect(user).toMatchObject({ role: "user", parent_id: null, state: "completed" })
    expect(answer).toMatchObject({
      role: "assistant",
      parent_id: user.id,
      model: "gpt-fake",
      content: "You said: What does the tide do at Brest?",
      state: "completed",
      finish_reason: "stop",
      estimated: false,
      error: null,
    })
    expect(answer.tokens_out).toBeGreaterThan(3)
    expect(answer.time_to_first_token_ms).toBeLessThanOrEqual(answer.duration_ms)
    const { body } = await ada.call("GET", `/${id}`)
    expect(body).toMatchObject({ title: "What does the tide do at Brest?", current_id: answer.id })
  })

  it("sends the whole branch, the system prompt and the chat's parameters to the model", async () => {
    const id = await ada.createChat({
      system: "Be brief.",
      params: { temperature: 0.1, stream: false },
    })
    await ada.sendMessage(id, { content: "one" })
    await ada.sendMessage(id, { content: "two" })
    expect(upstream.requests.at(-1)?.json).toMatchObject({
      temperature: 0.1,
      stream: true,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "one" },
        { role: "assistant", content: "You said: one" },
        { role: "user", content: "two" },
      ],
    })
  })

  it("records an answer's usage for its user", async () => {
    const id = await ada.createChat()
    const [, answer] = await ada.sendMessage(id, { content: "count me" })
    await expect
      .poll(
        async () => (await gateway.call("GET", "/api/v1/usage?group_by=user")).body.items.length,
      )
      .toBeGreaterThan(0)
    expect(answer.request_id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("supports branches: an edited prompt next to the first, and a second answer to the same prompt", async () => {
    const id = await ada.createChat()
    const [first, answer] = await ada.sendMessage(id, { content: "first wording" })
    const [second] = await ada.sendMessage(id, { content: "second wording", parent_id: null })
    const [again] = await ada.sendMessage(id, { parent_id: first.id })
    expect(second.parent_id).toBe(null)
    expect(again).toMatchObject({ parent_id: first.id, content: answer.content })
    const { body } = await ada.call("GET", `/${id}`)
    expect(body.messages).toHaveLength(5)
    expect(body.current_id).toBe(again.id)
    await ada.call("POST", `/${id}`, { current_id: answer.id })
    await ada.sendMessage(id, { content: "go on" })
    expect(upstream.requests.at(-1)?.json).toMatchObject({
      messages: [{ content: "first wording" }, { content: answer.content }, { content: "go on" }],
    })
    const wrong = await ada.call("POST", `/${id}`, { current_id: "no-such-message" })
    expect(wrong.status).toBe(422)
  })

  it("lets several models answer side by side", async () => {
    const id = await ada.createChat()
    const models = ["gpt-fake", "gpt-reason-fake"]
    const [user, one, other] = await ada.sendMessage(id, { content: "hello both", models })
    expect([one.model, other.model]).toEqual(models)
    expect([one.parent_id, other.parent_id]).toEqual([user.id, user.id])
    expect(one.batch).toBe(other.batch)
  })

  it("stores reasoning separately from the answer", async () => {
    const id = await ada.createChat({ models: ["gpt-reason-fake"] })
    const [, answer] = await ada.sendMessage(id, { content: "why" })
    expect(answer.content).toBe("You said: why")
    expect(answer.reasoning).toBe("Thinking about: why")
  })

  it("sends images to the model and returns them only to their owner", async () => {
    const id = await ada.createChat()
    const [user, answer] = await ada.sendMessage(id, { content: "Look", images: [onePixel] })
    expect(answer.content).toBe("I see 1 image. You said: Look")
    const path = `/api/v1/chats/${id}/images/${user.images[0].id}`
    const shown = await fetch(gateway.url + path, {
      headers: { authorization: `Bearer ${(await gateway.createUser("Nosy")).key}` },
    })
    expect(shown.status).toBe(404)
    const own = await ada.call("GET", `/${id}/images/${user.images[0].id}`)
    expect(own.headers.get("content-type")).toBe("image/png")
    expect(own.headers.get("x-content-type-options")).toBe("nosniff")
    const script = await ada.call("POST", `/${id}/messages`, {
      content: "x",
      images: ["data:image/svg+xml;base64,AAAA"],
    })
    expect(script.status).toBe(422)
  })

  it("is private to its owner: every route returns 404 to others", async () => {
    const id = await ada.createChat()
    const [user] = await ada.sendMessage(id, { content: "secret" })
    const attempts = await Promise.all([
      eve.call("GET", `/${id}`),
      eve.call("POST", `/${id}`, { title: "mine now" }),
      eve.call("DELETE", `/${id}`),
      eve.call("POST", `/${id}/share`, {}),
      eve.call("GET", `/${id}/export`),
      eve.call("GET", `/${id}/events`),
      eve.call("POST", `/${id}/messages`, { content: "x", models: ["gpt-fake"] }),
      eve.call("POST", `/${id}/messages`, { parent_id: user.id, models: ["gpt-fake"] }),
      eve.call("POST", `/${id}/stop`, {}),
    ])
    const unknown = await eve.call("GET", "/no-such-chat")
    for (const { status, body } of attempts) {
      expect(status).toBe(404)
      expect(body.code).toBe(unknown.body.code)
      expect(JSON.stringify(body)).not.toContain("secret")
    }
    expect((await eve.call("GET", "/?query=secret")).body.total).toBe(0)
  })

  it("can be read by everyone while it is shared, but changed only by its owner", async () => {
    const id = await ada.createChat({ folder: "private", tags: ["mine"] })
    await ada.sendMessage(id, { content: "for all" })
    expect((await ada.call("POST", `/${id}/share`, {})).body.shared).toBe(true)
    const read = await eve.call("GET", `/${id}`)
    expect(read.body).toMatchObject({ writable: false, folder: null, tags: [] })
    expect(read.body.messages).toHaveLength(2)
    expect((await eve.call("POST", `/${id}`, { title: "x" })).status).toBe(404)
    expect((await eve.call("GET", "/")).body.total).toBe(0)
    const watching = await eve.follow(id)
    await watching.waitFor(({ name }) => name === "snapshot")
    await ada.call("POST", `/${id}/share`, { shared: false })
    await watching.waitFor(({ name }) => name === "deleted")
    await watching.ended
    expect((await eve.call("GET", `/${id}`)).status).toBe(404)
  })

  it("stores a provider's error with the message, in the provider's words", async () => {
    upstream.injectFault(
      {
        kind: "status",
        status: 400,
        body: { error: { message: "The prompt is too long", code: "context_length_exceeded" } },
      },
      { on: /chat/ },
    )
    const id = await ada.createChat()
    const [user, answer] = await ada.sendMessage(id, { content: "too long" })
    expect(answer).toMatchObject({ state: "failed", content: "" })
    expect(answer.error).toMatchObject({
      message: "The prompt is too long",
      code: "context_length_exceeded",
      status: 400,
    })
    const [again] = await ada.sendMessage(id, { parent_id: user.id })
    expect(again.state).toBe("completed")
  })

  it("stores the partial answer when a provider aborts", async () => {
    upstream.injectFault({ kind: "break", after: 4 }, { on: /chat/ })
    const id = await ada.createChat()
    const [, answer] = await ada.sendMessage(id, { content: "one two three four five six" })
    expect(answer.state).toBe("failed")
    expect(answer.content).toMatch(/^You said: one/)
    expect(answer.error.message).toContain("closed the connection in the middle")
    const [longer] = await ada.sendMessage(id, { continue_id: answer.id })
    expect(longer.id).toBe(answer.id)
    expect(longer).toMatchObject({ state: "completed", error: null })
    expect(longer.content.startsWith(answer.content)).toBe(true)
    expect(longer.content.length).toBeGreaterThan(answer.content.length)
  })

  it("rejects an unknown model before storing anything", async () => {
    const id = await ada.createChat()
    const reply = await ada.call("POST", `/${id}/messages`, { content: "x", models: ["no-such"] })
    expect(reply).toMatchObject({ status: 404, body: { code: "model_not_found" } })
    expect((await ada.call("GET", `/${id}`)).body.messages).toEqual([])
  })
})
