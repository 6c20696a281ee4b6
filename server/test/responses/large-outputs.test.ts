import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { formatSseEvent } from "../fakes/responses.ts"
import { adminKey } from "../harness/gateway.ts"
import {
  chatModel,
  nativeModel,
  type ResponsesTestbed,
  readEvents,
  startResponsesTestbed,
} from "./responses-testbed.ts"

let testbed: ResponsesTestbed

beforeAll(async () => {
  testbed = await startResponsesTestbed()
})
afterEach(() => testbed.reset())
afterAll(() => testbed.stop())

const image = { type: "image_generation_call", id: "ig_1", result: "x".repeat(17_000_000) }
const response = { id: "resp_1", object: "response", store: false, output: [] }
const ended = { ...response, status: "completed", output: [image] }
const frames = [
  { type: "response.created", sequence_number: 0, response },
  { type: "response.output_item.done", sequence_number: 1, output_index: 0, item: image },
  { type: "response.completed", sequence_number: 2, response: ended },
].map((event) => formatSseEvent(event, event.type))

describe.each([false, true])("an image of more than 16 MB (store: %s)", (store) => {
  const ask = async (body: string, stream: boolean): Promise<string> => {
    const headers = { "content-type": stream ? "text/event-stream" : "application/json" }
    testbed.openai.injectFault({ kind: "reply", headers, body }, { on: /responses/ })
    const { status, text } = await testbed.send({ model: nativeModel, input: "x", store, stream })
    expect(status).toBe(200)
    return text
  }

  it("is delivered in a whole response", async () => {
    const body = JSON.stringify(ended)
    expect((await ask(body, false)) === body).toBe(true)
  })

  it("is delivered in a stream", async () => {
    const [created = "", ...rest] = frames
    const text = await ask(frames.join(""), true)
    expect(text.endsWith(rest.join(""))).toBe(true)
    expect(readEvents(text)[0]).toMatchObject({ type: "response.created", response: { store } })
    if (!store) expect(text.startsWith(created)).toBe(true)
  })

  it("is followed by an error if its stream breaks off", async () => {
    const [, item = ""] = frames
    const text = await ask(frames.slice(0, 2).join(""), true)
    expect(text.slice(text.indexOf(item) + item.length)).toMatch(/^event: response\.failed\ndata: /)
  })
})

describe("an answer of more than 16 MB", () => {
  const pieces = Array.from({ length: 17 }, () => ({ content: "x".repeat(1_000_000) }))

  it("fails if it has to be held in memory to be converted", async () => {
    testbed.streamDeltas(pieces)
    const request = { model: chatModel, input: "x", store: false, stream: true }
    const { text } = await testbed.send(request)
    const last = readEvents(text).at(-1)
    expect(last).toMatchObject({
      type: "response.failed",
      response: { error: { message: expect.stringContaining("an answer of more than 16 MB") } },
    })
  })

  it("fails if it waits for the end of a tool call", async () => {
    const call = { index: 0, id: "call_1", function: { name: "weather", arguments: "{" } }
    testbed.streamDeltas([{ tool_calls: [call] }, ...pieces])
    const messages = [{ role: "user", content: "x" }]
    const reply = await fetch(`${testbed.gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": adminKey, "content-type": "application/json" },
      body: JSON.stringify({ model: chatModel, max_tokens: 10, messages, stream: true }),
    })
    const text = await reply.text()
    expect(text.length).toBeLessThan(100_000)
    expect(text).toContain("event: error")
  })
})
