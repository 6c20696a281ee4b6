import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { FakeOpenAI } from "../fakes/openai.ts"
import { saveFunction } from "../functions/function-client.ts"
import { chooseDatabases } from "../harness/databases.ts"
import type { TestGateway } from "../harness/gateway.ts"
import { readUsageRecords } from "../harness/usage-records.ts"
import { upload } from "../knowledge/collections.ts"
import { manual } from "../knowledge/rewriting-upstream.ts"
import { createChatClient } from "./chat-client.ts"
import { startChatTestbed } from "./chat-testbed.ts"

/** Nano-dollars per token. */
const price = { input: 1000.5, output: 3000 }
/** Has no price. */
const unpriced = "gpt-reason-fake"

const caller = `export const name = "Caller"
export async function* reply({ messages }, context) {
  await context.chat({ model: "gpt-fake", messages })
  yield "Done."
}
`

interface PricedMessage {
  tokens_in: number
  tokens_out: number
}

const costOfTokens = ({ tokens_in, tokens_out }: PricedMessage): number =>
  Math.ceil(tokens_in * price.input + tokens_out * price.output)

describe.each(chooseDatabases())("the cost of an answer on $name", ({ createDatabase }) => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let stop: () => Promise<void>
  let people = 0

  beforeAll(async () => {
    ;({ gateway, upstream, stop } = await startChatTestbed(createDatabase))
    const { status } = await gateway.call("PUT", "/api/v1/prices/gpt-fake", { ...price, from: 0 })
    expect(status).toBe(200)
    await saveFunction(gateway, "caller", caller)
  })
  afterEach(() => upstream.clearFaults())
  afterAll(() => stop())

  const createPerson = async () => {
    const { id: userId, key } = await gateway.createUser(`Person${++people}`)
    const client = createChatClient(gateway, key)
    /** What each of the person's requests to models cost. */
    const readCosts = async (): Promise<(number | null)[]> => {
      const records = await readUsageRecords(gateway)
      return records.filter(({ user_id }) => user_id === userId).map(({ cost }) => cost)
    }
    const ask = async (fields: Record<string, unknown>, models = ["gpt-fake"]) => {
      const id = await client.createChat({ models })
      const [, answer] = await client.sendMessage(id, { content: "one two three", ...fields })
      return { id, answer }
    }
    return { ...client, key, readCosts, ask }
  }

  it("is that of its tokens, and comes with its last event", async () => {
    const ada = await createPerson()
    const { id, answer } = await ada.ask({})
    expect(answer.tokens_out).toBeGreaterThan(0)
    expect(answer.cost).toBe(costOfTokens(answer))
    expect(await ada.readCosts()).toEqual([answer.cost])
    const started = await ada.call("POST", `/${id}/messages`, { content: "four" })
    const following = await ada.follow(id, started.body.seq)
    const { data } = await following.waitFor(
      ({ data: { role, state } }) => role === "assistant" && state === "completed",
    )
    following.leave()
    expect(data.cost).toBe(costOfTokens(data))
  })

  it("is that of both runs of a continued answer", async () => {
    const ada = await createPerson()
    const { id, answer } = await ada.ask({})
    const [continued] = await ada.sendMessage(id, { continue_id: answer.id })
    const [first, second] = await ada.readCosts()
    expect(first).toBe(answer.cost)
    expect(second).toBeGreaterThan(0)
    expect(continued.cost).toBe((first ?? 0) + (second ?? 0))
  })

  it("is unknown without a price, also once a later run has one", async () => {
    const ada = await createPerson()
    const { id, answer } = await ada.ask({}, [unpriced])
    expect(answer).toMatchObject({ state: "completed", cost: null })
    const path = `/api/v1/prices/${unpriced}`
    await gateway.call("PUT", path, { ...price, from: 0 })
    const [continued] = await ada.sendMessage(id, { continue_id: answer.id })
    await gateway.call("DELETE", path)
    expect(await ada.readCosts()).toEqual([null, expect.any(Number)])
    expect(continued.cost).toBeNull()
  })

  it("is that of what was generated if it is stopped, and nothing if the provider refuses it", async () => {
    const ada = await createPerson()
    upstream.injectFault({ kind: "slow_frames", ms: 50 }, { on: /chat/ })
    const id = await ada.createChat()
    const content = "one two three four five six"
    const started = await ada.call("POST", `/${id}/messages`, { content })
    const following = await ada.follow(id, started.body.seq)
    await following.waitFor(({ name }) => name === "delta")
    await ada.call("POST", `/${id}/stop`, {})
    const { data } = await following.waitFor(({ data: { state } }) => state === "stopped")
    following.leave()
    const [cost] = await ada.readCosts()
    expect(cost).toBeGreaterThan(0)
    expect(data.cost).toBe(cost)
    upstream.injectFault({ kind: "status", status: 400 }, { on: /chat/ })
    const { answer } = await ada.ask({})
    expect(answer).toMatchObject({ state: "failed", cost: 0 })
  })

  it("includes rewriting its question", async () => {
    const settings = { query_rewriting_model: "", query_rewriting_timeout_ms: 20_000 }
    await gateway.call("POST", "/api/v1/settings", settings)
    const ada = await createPerson()
    const options = { key: ada.key, query: "?process_in_background=false" }
    const { body: file } = await upload(gateway, "manual.md", manual, options)
    const { id } = await ada.ask({})
    const files = [{ type: "file", id: file.id }]
    const [, answer] = await ada.sendMessage(id, { content: "And what about them?", files })
    await gateway.call("POST", "/api/v1/settings", { query_rewriting_model: "none" })
    const [, rewriting, own] = await ada.readCosts()
    expect(own).toBe(costOfTokens(answer))
    expect(rewriting).toBeGreaterThan(0)
    expect(answer.cost).toBe((rewriting ?? 0) + (own ?? 0))
  })

  it("is what a function asked other models for", async () => {
    const ada = await createPerson()
    const { answer } = await ada.ask({}, ["caller"])
    expect(answer).toMatchObject({ state: "completed", content: "Done." })
    const costs = await ada.readCosts()
    expect(costs).toHaveLength(2)
    expect(costs).toContain(0)
    expect(answer.cost).toBe(Math.max(...costs.map(Number)))
    expect(answer.cost).toBeGreaterThan(0)
  })

  it("is exported, but not copied, and nobody else's business", async () => {
    const ada = await createPerson()
    const { id, answer } = await ada.ask({})
    const { body: exported } = await ada.call("GET", `/${id}/export`)
    expect(exported.messages[1]).toMatchObject({ tokens_out: answer.tokens_out, cost: answer.cost })
    await ada.call("POST", `/${id}/share`, { shared: true })
    const grace = await createPerson()
    expect((await grace.call("GET", `/${id}`)).body.messages[1].cost).toBeNull()
    const { body: copy } = await grace.call("POST", `/${id}/copy`)
    expect((await grace.call("GET", `/${copy.id}`)).body.messages[1].cost).toBeNull()
    const path = `/${id}/messages/${answer.id}/edit`
    const { body: version } = await ada.call("POST", path, { content: "My own words" })
    expect(version.cost).toBeNull()
  })

  it("is shown on the page unless the administrators hide it", async () => {
    const ada = await createPerson()
    const readSession = () =>
      gateway.call("GET", "/api/v1/auths/session", undefined, { key: ada.key })
    expect((await readSession()).body.show_cost).toBe(true)
    await gateway.call("POST", "/api/v1/settings", { show_cost: false })
    expect((await readSession()).body.show_cost).toBe(false)
    await gateway.call("POST", "/api/v1/settings", { show_cost: true })
  })
})
