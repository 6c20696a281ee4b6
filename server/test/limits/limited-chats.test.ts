import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { createChatClient } from "../conversations/chat-client.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { readUsageRecords } from "../harness/usage-records.ts"
import { upload } from "../knowledge/collections.ts"
import { manual } from "../knowledge/rewriting-upstream.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const path = "/api/v1/limits"

describe.each(chooseDatabases())("limits of chats on $name", ({ createDatabase }) => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let people = 0

  beforeAll(async () => {
    upstream = await startFakeOpenAI()
    gateway = await startGatewayOnDatabase(createDatabase, { OPENAI_API_BASE_URLS: upstream.url })
    await waitForModels(gateway, ["gpt-fake"])
  })
  beforeEach(async () => {
    await gateway.call("POST", "/api/v1/settings", {
      ...{ chat_titles: "words", query_rewriting_model: "none" },
    })
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const createPerson = async (amount: number) => {
    const { id, key } = await gateway.createUser(`Person${++people}`)
    const target = { type: "user", id }
    const limit = { target, metric: "requests", amount, window: "day" }
    const created = await gateway.call("POST", path, limit)
    expect(created.status).toBe(200)
    const setAmount = (value: number) =>
      gateway.call("POST", `${path}/${created.body.id}/update`, { amount: value })
    const outcomes = async () => {
      const records = await readUsageRecords(gateway)
      return records.filter(({ user_id }) => user_id === id).map(({ outcome }) => outcome)
    }
    const spent = async () => {
      const { body } = await gateway.call("GET", `${path}?target_id=${id}`)
      return body.items[0].spent
    }
    return { ...createChatClient(gateway, key), key, setAmount, outcomes, spent }
  }

  it("name the limit where the answer would be, and leave the question", async () => {
    const ada = await createPerson(1)
    const id = await ada.createChat()
    const [, first] = await ada.sendMessage(id, { content: "one" })
    expect(first).toMatchObject({ state: "completed" })
    const [question, second] = await ada.sendMessage(id, { content: "two" })
    expect(question.content).toBe("two")
    expect(second).toMatchObject({ state: "failed", cost: 0 })
    expect(JSON.stringify(second)).toContain("requests per day for your account")
    expect(await ada.outcomes()).toEqual(["ok", "limited"])
    await ada.setAmount(2)
    const [again] = await ada.sendMessage(id, { parent_id: question.id })
    expect(again).toMatchObject({ state: "completed" })
    expect(await ada.spent()).toBe(2)
  })

  it("count titles, without which chats are named by their first words", async () => {
    await gateway.call("POST", "/api/v1/settings", { chat_titles: "any" })
    const ada = await createPerson(1)
    const id = await ada.createChat()
    await ada.sendMessage(id, { content: "What is a tide?" })
    await expect.poll(ada.outcomes).toEqual(["ok", "limited"])
    expect((await ada.call("GET", `/${id}`)).body.title).toBe("What is a tide?")
    await ada.setAmount(3)
    const other = await ada.createChat()
    await ada.sendMessage(other, { content: "What is a tide?" })
    await expect
      .poll(async () => (await ada.call("GET", `/${other}`)).body.title)
      .toMatch(/^You said: Write a title/)
    expect(await ada.spent()).toBe(3)
  })

  it("count the rewriting of questions, without which files are searched all the same", async () => {
    const ada = await createPerson(3)
    const options = { key: ada.key, query: "?process_in_background=false" }
    const { body: file } = await upload(gateway, "manual.md", manual, options)
    const id = await ada.createChat()
    await ada.sendMessage(id, { content: "Which chapter is about tillers?" })
    await gateway.call("POST", "/api/v1/settings", {
      ...{ query_rewriting_model: "", query_rewriting_timeout_ms: 20_000 },
    })
    const files = [{ type: "file", id: file.id }]
    const [, answer] = await ada.sendMessage(id, { content: "And what about them?", files })
    expect(answer.state).toBe("completed")
    expect(await ada.outcomes()).toEqual(["ok", "ok", "ok"])
    const limit = { target: { type: "model", id: "gpt-fake" }, metric: "tokens" }
    const created = await gateway.call("POST", path, { ...limit, amount: 0, window: "day" })
    const [, failed] = await ada.sendMessage(id, { content: "And what about others?", files })
    expect(failed.state).toBe("failed")
    expect((await ada.outcomes()).slice(3)).toEqual(["limited", "limited"])
    await gateway.call("DELETE", `${path}/${created.body.id}`)
    expect(await ada.spent()).toBe(3)
  })
})
