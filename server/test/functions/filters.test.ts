import OpenAI from "openai"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { createChatClient } from "../conversations/chat-client.ts"
import { collectItems } from "../fakes/collect.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { readUsageRecords, waitForUsageRecords } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { shout } from "./filter-code.ts"
import {
  completionText,
  deleteFunctions,
  fetchLastRun,
  requestCompletion,
  saveFunction,
} from "./function-client.ts"

let upstream: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake", "gpt-other"] })
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
  await waitForModels(gateway, ["gpt-fake"])
})
afterEach(() => deleteFunctions(gateway))
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const mask = `const masked = (text) => text.replace(/\\S+@\\S+/g, "[e-mail]")
export const before = (request) => ({ ...request,
  messages: request.messages.map((message) => ({ ...message, content: masked(message.content) })) })
`

const attachFilter = (id: string, content: string, models: string[], order = 0) =>
  saveFunction(gateway, id, content, { filter_models: models, filter_order: order })
const ask = (fields: Parameters<typeof requestCompletion>[2] = {}) =>
  requestCompletion(gateway, "gpt-fake", fields)
const streamCompletion = async (fields: object = {}) => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: adminKey, maxRetries: 0 })
  const messages = [{ role: "user" as const, content: "hello there" }]
  const params = { model: "gpt-fake", messages, stream: true, ...fields } as const
  const { data, response } = await client.chat.completions.create(params).withResponse()
  const chunks = await collectItems(data)
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")
  return { chunks, text, requestId: response.headers.get("x-request-id") ?? "" }
}
const lastUpstreamRequest = () => upstream.requests.at(-1)

describe("a filter", () => {
  it("changes the request sent to the provider", async () => {
    await attachFilter("mask", mask, ["gpt-fake"])
    expect(completionText(await ask({ content: "write to ada@example.com" }))).toBe(
      "You said: write to [e-mail]",
    )
    expect(String(lastUpstreamRequest()?.body)).not.toContain("ada@")
    expect(lastUpstreamRequest()?.json).toMatchObject({ model: "gpt-fake" })
    const other = await requestCompletion(gateway, "gpt-other", { content: "to ada@example.com" })
    expect(completionText(other)).toContain("ada@example.com")
  })

  it("changes a streamed reply chunk by chunk without affecting the token counts", async () => {
    await attachFilter("shout", shout, ["gpt-fake"])
    const { text, chunks, requestId } = await streamCompletion()
    expect(text).toBe("YOU SAID: HELLO THERE!")
    expect(chunks.length).toBeGreaterThan(3)
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop")
    const [record] = await waitForUsageRecords(gateway, requestId)
    expect(record).toMatchObject({ outcome: "ok", tokens_in: 5, tokens_out: 4, estimated: 0 })
    const counted = await streamCompletion({ stream_options: { include_usage: true } })
    expect(counted.chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 5 })
  })

  it("handles a stream that arrives faster than it is read", async () => {
    await attachFilter("shout", shout, ["gpt-fake"])
    const piece = { choices: [{ index: 0, delta: { content: "a" } }] }
    const last = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }
    const event = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`
    const body = `${event(piece).repeat(20_000)}${event(last)}data: [DONE]\n\n`
    const headers = { "content-type": "text/event-stream" }
    upstream.injectFault({ kind: "reply", headers, body }, { on: /chat/ })
    expect((await streamCompletion()).text).toBe(`${"A".repeat(20_000)}!`)
  })

  it("changes a non-streamed reply through `chunk` and `after`", async () => {
    await attachFilter("shout", shout, ["gpt-fake"])
    expect(completionText(await ask())).toBe("YOU SAID: HELLO THERE!")
    const after = `export const after = (reply) => {
      reply.choices[0].message.content += " (checked)"
      return reply
    }`
    await attachFilter("checks", after, ["gpt-fake"], 5)
    expect(completionText(await ask())).toBe("YOU SAID: HELLO THERE (CHECKED)!")
  })

  it("with only `after` delays a streamed reply until it is complete", async () => {
    await attachFilter(
      "after",
      `export const after = ({ choices, ...rest }) => ({ ...rest, choices:
      [{ ...choices[0], message: { ...choices[0].message, content: "something else" } }] })`,
      ["*"],
    )
    const { text, chunks } = await streamCompletion()
    expect(text).toBe("something else")
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop")
  })

  it("with only `after` receives everything that the pieces of a stream add up to", async () => {
    const received = `export const after = (reply) => {
      reply.choices[0].message.content = JSON.stringify(reply.choices[0].message)
      return reply
    }`
    await attachFilter("received", received, ["gpt-fake"])
    const citation = (url: string) => ({ type: "url_citation", url_citation: { url } })
    const thought = (text: string) => ({ type: "reasoning.text", text, index: 0 })
    const image = (url: string) => ({ type: "image_url", image_url: { url } })
    const call = (piece: object) => ({ tool_calls: [{ index: 0, ...piece }] })
    const deltas = [
      { role: "assistant", content: "", reasoning_details: [thought("One")] },
      { role: "assistant", reasoning_details: [thought(" two")] },
      { content: "Hi", annotations: [citation("a"), citation("b")] },
      { annotations: [citation("c")], images: [image("x")] },
      { annotations: [], images: [image("y")] },
      { audio: { id: "audio_1", transcript: "Hi", data: "AA" } },
      { audio: { id: "audio_1", transcript: " you", data: "BB", expires_at: 7 } },
      call({ id: "call_1", type: "custom", custom: { name: "run", input: "ls" } }),
      call({ custom: { name: "run", input: " -l" } }),
    ]
    const events = [
      ...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })),
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    ].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    const headers = { "content-type": "text/event-stream" }
    const body = `${events.join("")}data: [DONE]\n\n`
    upstream.injectFault({ kind: "reply", headers, body }, { on: /chat/ })
    expect(JSON.parse((await streamCompletion()).text)).toEqual({
      role: "assistant",
      content: "Hi",
      reasoning_details: [thought("One"), thought(" two")],
      annotations: [citation("a"), citation("b"), citation("c")],
      images: [image("x"), image("y")],
      audio: { id: "audio_1", transcript: "Hi you", data: "AABB", expires_at: 7 },
      tool_calls: [{ id: "call_1", type: "custom", custom: { name: "run", input: "ls -l" } }],
    })
  })

  it("runs in its configured order on requests and in reverse order on replies", async () => {
    const tagging = (tag: string) => `export const before = (request) => {
      request.messages[0].content += " ${tag}"
      return request
    }
    export const chunk = (delta) => (delta.last ? { content: "<${tag}>" } : delta)`
    await attachFilter("outer", tagging("outer"), ["*"], 1)
    await attachFilter("inner", tagging("inner"), ["*"], 2)
    expect(completionText(await ask())).toBe("You said: hello there outer inner<inner><outer>")
  })

  it("also applies to models based on the one it is attached to", async () => {
    await attachFilter("mask", mask, ["gpt-fake"])
    await gateway.call("POST", "/api/v1/models/create", {
      id: "helper",
      name: "Helper",
      base_model_id: "gpt-fake",
      params: { system: "Write to boss@example.com." },
    })
    await requestCompletion(gateway, "helper", { content: "to ada@example.com" })
    expect(String(lastUpstreamRequest()?.body)).not.toContain("@example.com")
    await gateway.call("POST", "/api/v1/models/model/delete", { id: "helper" })
  })

  it("applies to conversations and function models, and ends with its request", async () => {
    await attachFilter("shout", shout, ["*"])
    await saveFunction(gateway, "echo", "export function* reply() { yield 'one '; yield 'two' }")
    const page = createChatClient(gateway, adminKey)
    const id = await page.createChat({ models: ["echo"] })
    const [, answer] = await page.sendMessage(id, { content: "good morning" })
    expect(answer).toMatchObject({ state: "completed", content: "ONE TWO!" })
    await expect.poll(async () => (await fetchLastRun(gateway, "shout"))?.outcome).toBe("ok")
  })

  it("may drop chunks, and its own requests bypass the filter", async () => {
    await attachFilter(
      "asks",
      `export const before = async (request, context) => {
      const reply = await context.chat({ model: "gpt-other", messages: request.messages })
      request.messages[0].content = reply.choices[0].message.content.length + " letters"
      return request
    }
    export const chunk = (delta) => (delta.content?.includes("said") ? null : delta)`,
      ["*"],
    )
    expect((await streamCompletion()).text).not.toContain("said")
  })

  it("that fails blocks the request or the rest of the stream", async () => {
    await attachFilter("fails", "export const before = () => { throw new Error('no') }", [
      "gpt-fake",
    ])
    const before = upstream.requests.length
    const { status, body } = await ask()
    expect(status).toBe(502)
    expect(body.error).toMatchObject({ code: "function_failed" })
    expect(upstream.requests.length).toBe(before)
    await attachFilter(
      "fails",
      `let count = 0
      export const chunk = (delta) => { if (count++ > 1) throw new Error("enough"); return delta }`,
      ["gpt-fake"],
    )
    const interrupted = await ask({ stream: true, metadata: { fake_delay_ms: 30 } })
    expect(interrupted.body).toMatch(/enough.*function_failed/)
    expect(interrupted.body).not.toContain("[DONE]")
    const refusing = "export const before = (r, context) => context.refuse('Not this.')"
    await attachFilter("fails", refusing, ["gpt-fake"])
    expect((await ask()).body.error).toMatchObject({ message: "Not this." })
  })

  it("that fails on the first chunk returns 502, because nothing was sent yet", async () => {
    const throwing = "export const chunk = () => { throw new Error('at once') }"
    await attachFilter("fails", throwing, ["gpt-fake"])
    for (const fields of [{ stream: true }, {}]) {
      const { status, body } = await ask(fields)
      expect(status).toBe(502)
      expect(body.error).toMatchObject({ code: "function_failed" })
      expect(body.error.message).toMatch(/at once.*line 1/)
    }
  })

  it("that blocks a request leaves a usage record", async () => {
    const recordsBefore = (await readUsageRecords(gateway)).length
    for (const [code, outcome] of [
      ["throw new Error('no')", "upstream_error"],
      ["context.refuse('Not this.')", "refused_request"],
    ] as const) {
      await attachFilter("fails", `export const before = (r, context) => { ${code} }`, ["gpt-fake"])
      const { status } = await ask()
      const records = await readUsageRecords(gateway)
      expect(records.at(-1)).toMatchObject({ model: "gpt-fake", outcome, status, tokens_in: 0 })
    }
    expect((await readUsageRecords(gateway)).length).toBe(recordsBefore + 2)
  })

  it("cannot choose another model", async () => {
    await attachFilter("turns", "export const before = (r) => ({ ...r, model: 'gpt-other' })", [
      "gpt-fake",
    ])
    await ask()
    expect(lastUpstreamRequest()?.json).toMatchObject({ model: "gpt-fake" })
  })

  it("cannot be bypassed through another route to the same model", async () => {
    await attachFilter("mask", mask, ["gpt-fake"])
    const body = { model: "gpt-fake", prompt: "x" }
    expect((await gateway.call("POST", "/v1/completions", body)).status).toBe(400)
    const input = "write to ada@example.com"
    for (const [path, fields] of [
      ["/v1/responses", { input }],
      ["/v1/messages", { max_tokens: 10, messages: [{ role: "user", content: input }] }],
    ] as const) {
      const { status } = await gateway.call("POST", path, { model: "gpt-fake", ...fields })
      expect(status, path).toBe(200)
      expect(lastUpstreamRequest()?.body.toString(), path).not.toContain("ada@")
    }
  })
})

it("without a filter, a stream is relayed byte for byte", async () => {
  const fields = { stream: true, stream_options: { include_usage: true } }
  const { body } = await ask(fields)
  expect(body).toBe(lastUpstreamRequest()?.sent.body.toString())
  await attachFilter("elsewhere", shout, ["gpt-other"])
  expect((await ask(fields)).body).toBe(lastUpstreamRequest()?.sent.body.toString())
})
