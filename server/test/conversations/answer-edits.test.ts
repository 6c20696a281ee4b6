import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { FakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases } from "../harness/databases.ts"
import type { TestGateway } from "../harness/gateway.ts"
import { createChatClient } from "./chat-client.ts"
import { startChatTestbed } from "./chat-testbed.ts"

describe.each(chooseDatabases())("an answer on $name", ({ createDatabase }) => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let stop: () => Promise<void>
  let graceId: string
  let graceKey: string
  let grace: ReturnType<typeof createChatClient>
  let linus: ReturnType<typeof createChatClient>

  beforeAll(async () => {
    ;({ gateway, upstream, stop } = await startChatTestbed(createDatabase))
    ;({ id: graceId, key: graceKey } = await gateway.createUser("Grace"))
    grace = createChatClient(gateway, graceKey)
    linus = createChatClient(gateway, (await gateway.createUser("Linus")).key)
  })
  afterEach(() => upstream.clearFaults())
  afterAll(() => stop())

  const newAnswer = async (content: string, model = "gpt-fake") => {
    const id = await grace.createChat({ models: [model] })
    const [question, answer] = await grace.sendMessage(id, { content })
    const path = `/${id}/messages/${answer.id}`
    return { id, question, answer, path }
  }
  const readMessages = async (client: typeof grace, id: string) =>
    (await client.call("GET", `/${id}`)).body.messages
  const ratings = async (query = "") => (await gateway.call("GET", `/api/v1/ratings${query}`)).body

  it("keeps its owner's rating, which can be changed and removed", async () => {
    const { id, path } = await newAnswer("rate me")
    const down = { value: "down", reason: "  Too short.  " }
    const rated = await grace.call("POST", `${path}/rating`, down)
    expect(rated.body.rating).toEqual({ value: "down", reason: "Too short." })
    expect((await readMessages(grace, id))[1].rating).toEqual(rated.body.rating)
    await grace.call("POST", `${path}/rating`, { value: "up" })
    expect((await readMessages(grace, id))[1].rating).toEqual({ value: "up", reason: "" })
    await grace.call("POST", `${path}/rating`, { value: null })
    expect((await readMessages(grace, id))[1].rating).toBeNull()
  })

  it("cannot be rated or edited by others, with too long a reason, or while it is written", async () => {
    const { id, question, path } = await newAnswer("private")
    await grace.call("POST", `/${id}/share`, { shared: true })
    await grace.call("POST", `${path}/rating`, { value: "down", reason: "only for me" })
    expect((await linus.call("POST", `${path}/rating`, { value: "up" })).status).toBe(404)
    expect((await linus.call("POST", `${path}/edit`, { content: "x" })).status).toBe(404)
    expect((await readMessages(linus, id))[1].rating).toBeNull()
    const long = { value: "up", reason: "x".repeat(1001) }
    expect((await grace.call("POST", `${path}/rating`, long)).status).toBe(422)
    expect((await grace.call("POST", `${path}/edit`, { content: "  " })).status).toBe(422)
    const ofQuestion = `/${id}/messages/${question.id}/rating`
    expect((await grace.call("POST", ofQuestion, { value: "up" })).status).toBe(404)

    upstream.injectFault({ kind: "slow_frames", ms: 50 }, { on: /chat/ })
    const started = await grace.call("POST", `/${id}/messages`, { content: "a b c d e f g h" })
    const running = `/${id}/messages/${started.body.messages[1].id}`
    expect((await grace.call("POST", `${running}/rating`, { value: "up" })).status).toBe(409)
    expect((await grace.call("POST", `${running}/edit`, { content: "x" })).status).toBe(409)
    await grace.call("POST", `/${id}/stop`, {})
  })

  it("shows administrators its rating, without the conversation", async () => {
    const good = await newAnswer("secret question", "gpt-reason-fake")
    const bad = await newAnswer("another secret", "gpt-reason-fake")
    await grace.call("POST", `${good.path}/rating`, { value: "up", reason: "Spot on" })
    await grace.call("POST", `${bad.path}/rating`, { value: "down", reason: "Wrong Ünit" })
    const list = await ratings("?model=gpt-reason-fake")
    expect(list.total).toBe(2)
    expect(list.items).toContainEqual({
      id: good.answer.id,
      value: "up",
      reason: "Spot on",
      model: "gpt-reason-fake",
      user_id: graceId,
      user_name: "Grace",
      rated_at: expect.any(Number),
    })
    expect(JSON.stringify(list)).not.toContain("secret")
    expect((await ratings("?model=gpt-reason-fake&value=down")).items).toHaveLength(1)
    expect((await ratings("?query=wrong%20%C3%BCnit")).items[0].id).toBe(bad.answer.id)
    expect(await ratings("?model=gpt-reason-fake&page=2&page_size=1")).toMatchObject({
      total: 2,
      items: [{ model: "gpt-reason-fake" }],
    })
    const summary = await ratings("/summary")
    expect(summary.items).toContainEqual({ model: "gpt-reason-fake", up: 1, down: 1 })
    const asUser = await gateway.call("GET", "/api/v1/ratings", undefined, { key: graceKey })
    expect(asUser.status).toBe(403)

    await grace.call("DELETE", `/${bad.id}`)
    expect(
      (await ratings("?model=gpt-reason-fake")).items.map(({ id }: { id: string }) => id),
    ).toEqual([good.answer.id])
  })

  it("can be replaced by its owner's version, which is an alternative to it", async () => {
    const { id, question, answer, path } = await newAnswer("edit me")
    const edited = await grace.call("POST", `${path}/edit`, { content: "My own words" })
    expect(edited.body).toMatchObject({
      parent_id: question.id,
      model: "gpt-fake",
      content: "My own words",
      state: "completed",
      edited: true,
      tokens_out: null,
    })
    const own = `/${id}/messages/${edited.body.id}/rating`
    expect((await grace.call("POST", own, { value: "up" })).status).toBe(400)
    const { body } = await grace.call("GET", `/${id}`)
    expect(body.current_id).toBe(edited.body.id)
    expect(body.messages[1]).toMatchObject({ id: answer.id, edited: false })
    expect(body.messages[2]).toMatchObject({ id: edited.body.id, edited: true })
    await grace.sendMessage(id, { content: "and now" })
    const sent = upstream.requests.findLast(({ path }) => /chat/.test(path))?.json
    expect(sent).toMatchObject({
      messages: [{ content: "edit me" }, { content: "My own words" }, { content: "and now" }],
    })
  })

  it("is exported with its rating and whether it was edited, and imported without the rating", async () => {
    const { id, path } = await newAnswer("export me")
    await grace.call("POST", `${path}/rating`, { value: "down", reason: "Not --> what I asked" })
    const { body: json } = await grace.call("GET", `/${id}/export`)
    expect(json.messages[1].rating).toEqual({ value: "down", reason: "Not --> what I asked" })
    const { body: markdown } = await grace.call("GET", `/${id}/export?format=markdown`)
    expect(markdown).toContain("Bad answer: Not --\\> what I asked")
    const imported = await grace.call("POST", "/import", { markdown })
    const messages = await readMessages(grace, imported.body.ids[0])
    expect(messages.map(({ content }: { content: string }) => content)).toEqual([
      "export me",
      "You said: export me",
    ])
    expect(messages[1].rating).toBeNull()

    const version = await grace.call("POST", `${path}/edit`, { content: "Edited" })
    expect(version.body.edited).toBe(true)
    for (const format of ["json", "markdown"]) {
      const { body: file } = await grace.call("GET", `/${id}/export?format=${format}`)
      const upload = format === "json" ? { chats: [file] } : { markdown: file }
      const { body } = await grace.call("POST", "/import", upload)
      const [last] = (await readMessages(grace, body.ids[0])).slice(-1)
      expect(last).toMatchObject({ content: "Edited", edited: true })
    }
    const { items } = await ratings("?query=what%20I%20asked")
    expect(items).toHaveLength(1)
  })
})
