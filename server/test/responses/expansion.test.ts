import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import {
  chatModel,
  nativeModel,
  type ResponsesTestbed,
  startResponsesTestbed,
} from "./responses-testbed.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let testbed: ResponsesTestbed

beforeAll(async () => {
  testbed = await startResponsesTestbed({ MAX_BUFFERED_BODIES: "18MB/100MB" })
})
afterEach(() => testbed.reset())
afterAll(() => testbed.stop())

const text = "x".repeat(1_000_000)
const message = { type: "message", role: "user", id: "msg_big", content: text }
const references = (count: number) =>
  Array.from({ length: count }, () => ({ type: "item_reference", id: "msg_big" }))

const store = async (): Promise<string> => {
  const stored = await testbed.send({ model: nativeModel, input: [message] })
  expect(stored.status).toBe(200)
  return JSON.parse(stored.text).id
}
const held = (): number => testbed.gateway.gateway.limits.bodies.held()

describe.each([true, false])("a request with store: %s", (isStored) => {
  it.each([
    ["more than fits the user's memory", 5, 413, "MAX_BUFFERED_BODIES"],
    ["16 MB or more", 20, 400, "16000000 bytes"],
    ["more than 1,000 items", 6000, 400, "at most 1000 items"],
  ])("is refused if repeated references stand for %s", async (_what, count, status, reason) => {
    await store()
    const input = references(count)
    const before = testbed.openai.requests.length
    const refused = await testbed.send({ model: nativeModel, store: isStored, input })
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(reason)])
    expect(testbed.openai.requests).toHaveLength(before)
    await expect.poll(held).toBe(0)
  })

  it("may repeat an item within its limits", async () => {
    await store()
    const body = { model: chatModel, store: isStored, input: references(2) }
    expect((await testbed.send(body)).status).toBe(200)
  })
})

it("a response keeps the items that its input refers to", async () => {
  await store()
  const lost = { type: "item_reference", id: "msg_elsewhere" }
  const input = [...references(1), lost]
  const sent = await testbed.send({ model: nativeModel, input })
  const { id } = JSON.parse(sent.text)
  const path = `/v1/responses/${id}/input_items?order=asc`
  const { body } = await testbed.gateway.call("GET", path)
  expect(body).toMatchObject({ data: [message, lost], first_id: "msg_big", has_more: false })
})

describe("a conversation", () => {
  it("counts toward the user's memory until the response closes", async () => {
    const previous_response_id = await store()
    testbed.openai.injectFault({ kind: "slow_frames", ms: 100 }, { on: /responses/, times: 8 })
    const body = { model: nativeModel, store: false, stream: true, input: "go" }
    const sent = Array.from({ length: 8 }, () => testbed.send({ ...body, previous_response_id }))
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses).toContain(200)
    expect(statuses).toContain(429)
    await expect.poll(held).toBe(0)
    expect((await testbed.send({ ...body, previous_response_id })).status).toBe(200)
  })
})

describe("a converted request", () => {
  const tool = { type: "function", name: "f", parameters: {} }
  const pairs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, "v"]))

  it.each([
    ["metadata", pairs(17)],
    ["metadata", { ["k".repeat(65)]: "v" }],
    ["metadata", { key: "v".repeat(513) }],
    ["tools", Array.from({ length: 129 }, (_, n) => ({ ...tool, name: `f${n}` }))],
    ["include", Array.from({ length: 33 }, () => "reasoning.encrypted_content")],
  ])("is refused if its %s exceeds OpenAI's bounds", async (param, value) => {
    const { status, text } = await testbed.send({ model: chatModel, input: "x", [param]: value })
    expect([status, JSON.parse(text).error.param]).toEqual([400, param])
  })

  it.each(["additional_tools", "tool_search_output"])(
    "is refused if its tools exceed 128 with those of its %s",
    async (type) => {
      const declared = (first: number, count: number) =>
        Array.from({ length: count }, (_, n) => ({ ...tool, name: `f${first + n}` }))
      const send = async (count: number) => {
        const found = { type, call_id: "call_1", role: "developer", tools: declared(64, count) }
        const input = [{ role: "user", content: "x" }, found, found]
        const called = { type: "tool_search_call", call_id: "call_1", arguments: {} }
        const items = type === "tool_search_output" ? [input[0], called, found] : input
        return testbed.send({ model: chatModel, tools: declared(0, 64), input: items })
      }
      expect((await send(64)).status).toBe(200)
      const { status, text } = await send(65)
      expect([status, JSON.parse(text).error.param]).toEqual([400, "tools"])
    },
  )

  it("may have as much metadata as OpenAI allows", async () => {
    const body = { model: chatModel, input: "x", metadata: pairs(16) }
    expect((await testbed.send(body)).status).toBe(200)
  })
})

it("a response whose events have any space around colons is stored under its own id", async () => {
  const response = '{"id":"resp_provider","object":"response","status":"completed","output":[]}'
  const event = `{"type":"response.completed","sequence_number":0,"response" \t :${response}}`
  const body = `event: response.completed\ndata: ${event}\n\n`
  const headers = { "content-type": "text/event-stream" }
  testbed.openai.injectFault({ kind: "reply", headers, body }, { on: /responses/ })
  const sent = await testbed.send({ model: nativeModel, input: "x", stream: true })
  expect(sent.text).not.toContain("resp_provider")
  const id = /"id":"(resp_\w+)"/.exec(sent.text)?.[1] ?? ""
  expect((await testbed.gateway.call("GET", `/v1/responses/${id}`)).status).toBe(200)
})
