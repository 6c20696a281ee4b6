import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { collectItems } from "../fakes/collect.ts"
import { adminKey } from "../harness/gateway.ts"
import { chatModel, claudeModel, startMessagesTestbed } from "../messages/messages-testbed.ts"

let testbed: Awaited<ReturnType<typeof startMessagesTestbed>>
let client: OpenAI

beforeAll(async () => {
  testbed = await startMessagesTestbed()
  client = new OpenAI({ baseURL: `${testbed.gateway.url}/v1`, apiKey: adminKey, maxRetries: 0 })
})
afterAll(() => testbed.stop())

const lastBody = (upstream: { requests: readonly { path: string; json: unknown }[] }): unknown =>
  upstream.requests.filter(({ path }) => /messages|responses/.test(path)).at(-1)?.json

describe.each([
  ["a model whose answers are converted", claudeModel],
  ["a model whose provider has the API", chatModel],
])("%s", (_case, model) => {
  it("continues a response, also with another instruction", async () => {
    const first = await client.responses.create({ model, input: "One", instructions: "Be brief." })
    expect(first).toMatchObject({ store: true, previous_response_id: null })
    const second = await client.responses.create({
      model,
      input: "Two",
      previous_response_id: first.id,
    })
    expect(second.previous_response_id).toBe(first.id)
    const sent = JSON.stringify(
      lastBody(model === claudeModel ? testbed.anthropic : testbed.openai),
    )
    expect(sent).toContain("One")
    expect(sent).toContain(first.output_text)
    expect(sent).not.toContain("Be brief.")
    expect(sent).not.toContain("previous_response_id")
  })

  it("stores a streamed response before its last event", async () => {
    const events = await collectItems(
      await client.responses.create({ model, input: "Stream", stream: true }),
    )
    const last = events.at(-1)
    if (last?.type !== "response.completed") throw new Error(`ended with ${last?.type}`)
    expect(last.response).toHaveProperty("store", true)
    const stored = await client.responses.retrieve(last.response.id)
    expect(stored).toMatchObject({ id: last.response.id, status: "completed", store: true })
    expect(stored.output).toEqual(last.response.output)
    const { data } = await client.responses.inputItems.list(last.response.id)
    expect(data).toMatchObject([{ type: "message", role: "user" }])
  })

  it("keeps nothing of a response that is not to be stored", async () => {
    const response = await client.responses.create({ model, input: "Secret", store: false })
    await expect(client.responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 })
    await expect(
      client.responses.create({ model, input: "x", previous_response_id: response.id }),
    ).rejects.toMatchObject({ status: 400, code: "previous_response_not_found" })
  })

  it("finds referenced items", async () => {
    const first = await client.responses.create({ model, input: "Remember" })
    const [item] = first.output
    const id = item && "id" in item ? String(item.id) : ""
    await client.responses.create({
      model,
      input: [
        { role: "user", content: "Remember" },
        { type: "item_reference", id },
        { role: "user", content: "Go on" },
      ],
    })
    const sent = JSON.stringify(
      lastBody(model === claudeModel ? testbed.anthropic : testbed.openai),
    )
    expect(sent).toContain(first.output_text)
    expect(sent).not.toContain("item_reference")
  })
})

describe("a response", () => {
  it("can be deleted", async () => {
    const { id } = await client.responses.create({ model: claudeModel, input: "Delete me" })
    await client.responses.delete(id)
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 })
  })

  it("cannot run in the background or belong to a conversation", async () => {
    for (const more of [{ background: true }, { conversation: "conv_1" }]) {
      await expect(
        client.responses.create({ model: claudeModel, input: "x", ...more }),
      ).rejects.toMatchObject({ status: 501 })
    }
  })
})
