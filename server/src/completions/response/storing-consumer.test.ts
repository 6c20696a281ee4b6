import { UpstreamError } from "@portico/http1"
import { describe, expect, it } from "vitest"
import { Failure } from "../../errors.ts"
import type { Fields } from "../../formats/json-values.ts"
import type { RequestContext } from "../../http/request-context.ts"
import { responsesOperation } from "../operations/responses.ts"
import { ResponseReader } from "./response-reader.ts"
import { ResponseRelay } from "./response-relay.ts"
import { SseScanner } from "./sse-scanner.ts"
import { StoringConsumer } from "./storing-consumer.ts"

const broken = new UpstreamError("broken", new Error("Broken"))
const members = { id: "resp_own", store: true as const, previous_response_id: "resp_0" }

/** A client that records what it receives. */
const createClient = () => {
  const received: string[] = []
  let isEnded = false
  const record = (chunk?: Buffer | string): boolean => {
    if (chunk !== undefined) received.push(chunk.toString())
    return true
  }
  const outgoing = {
    ...{ statusCode: 200, headersSent: false, destroyed: false, writableEnded: false },
    ...{ writableFinished: false, writeHead: () => {}, flushHeaders: () => {} },
    ...{ destroy: () => {}, on: () => {}, once: () => {}, prependListener: () => {} },
    write: record,
    end: (chunk?: Buffer | string) => {
      record(chunk)
      isEnded = true
    },
  }
  const context = {
    ...{ outgoing, requestId: "req_1", address: "", startedAt: 0, caller: null },
    incoming: { headers: {}, socket: {} },
  } satisfies RequestContext
  return { context, text: () => received.join(""), isEnded: () => isEnded }
}

const openResponse = () => {
  const client = createClient()
  const saved: Fields[] = []
  const storing = Promise.withResolvers<boolean>()
  const save = (response: Fields | Buffer): Promise<boolean> => {
    const object = Buffer.isBuffer(response) ? JSON.parse(response.toString("utf8")) : response
    saved.push({ ...object, ...members })
    return storing.promise
  }
  const operation = responsesOperation
  const { endMarkers, formatFailure } = operation.stream
  const relay = new ResponseRelay(client.context, { operation, formatFailure })
  const reader = new ResponseReader({
    consumer: new StoringConsumer(relay, { members, save }),
    scanner: new SseScanner(endMarkers, "whole_events"),
    onDone: () => {},
    onUnexpectedError: (error) => {
      throw error
    },
  })
  reader.onHead(200, ["content-type", "text/event-stream"])
  return { reader, client, saved, storing }
}

const response = { id: "resp_1", store: false, output: [] as unknown[], text: 'a "response": ä🐝' }
const output = [{ type: "message", id: "msg_1" }]
const createEvents = () => [
  { type: "response.created", sequence_number: 0, response },
  { type: "response.output_text.delta", sequence_number: 1, delta: 'ü {"response":{}} 🐝' },
  { type: "response.completed", sequence_number: 2, response: { ...response, output } },
]
const format = (events: readonly { type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
const withMembers = (events: readonly { type: string }[]) =>
  events.map((event) =>
    "response" in event ? { ...event, response: { ...Object(event.response), ...members } } : event,
  )

const sent = format(createEvents())
const expected = format(withMembers(createEvents()))

describe("a stream that is stored", () => {
  it.each(["\n", "\r\n"])("is the same wherever it is cut; lines end with %j", async (end) => {
    const text = sent.replaceAll("\n", end)
    const bytes = Buffer.from(`${text}data: [DONE]${end}${end}`)
    for (let at = 0; at <= bytes.length; at++) {
      const { reader, client, saved, storing } = openResponse()
      reader.onData(bytes.subarray(0, at))
      reader.onData(bytes.subarray(at))
      reader.onEnd()
      expect(client.text()).not.toContain("response.completed")
      expect(client.isEnded()).toBe(false)
      storing.resolve(true)
      await storing.promise
      const plain = client.text().replaceAll("\r\n", "\n")
      expect(plain).toBe(`${expected}data: [DONE]\n\n`)
      expect(client.isEnded()).toBe(true)
      expect(saved).toEqual([{ ...response, output, ...members }])
    }
  })

  it.each(["\n", "\r\n"])(
    "is the same if its response is too large to be parsed; lines end with %j",
    async (end) => {
      const { reader, client, saved, storing } = openResponse()
      const large = { ...response, instructions: 'ä "response":{} '.repeat(10_000) }
      const events = [
        { type: "response.created", sequence_number: 0, response: large },
        ...createEvents().slice(1, 2),
        { type: "response.completed", sequence_number: 2, response: { ...large, output } },
      ]
      reader.onData(Buffer.from(`${format(events)}data: [DONE]\n\n`.replaceAll("\n", end)))
      reader.onEnd()
      expect(client.text()).not.toContain("response.completed")
      storing.resolve(true)
      await storing.promise
      const sentEvents = client.text().split(/\r?\n\r?\n/)
      const parsed = sentEvents.map((event) =>
        JSON.parse(/^data: ?(\{.*)/m.exec(event)?.[1] ?? "0"),
      )
      expect(parsed).toEqual([...withMembers(events), 0, 0])
      expect(saved).toEqual([{ ...large, output, ...members }])
    },
  )

  it("ends as soon as it is stored, even if the provider's connection breaks", async () => {
    const { reader, client, storing } = openResponse()
    reader.onData(Buffer.from(sent))
    reader.onError(broken)
    expect(client.isEnded()).toBe(false)
    storing.resolve(true)
    await storing.promise
    expect([client.text(), client.isEnded()]).toEqual([expected, true])
  })

  it("ends once if the provider's connection breaks after it was stored", async () => {
    const { reader, client, storing } = openResponse()
    reader.onData(Buffer.from(sent))
    storing.resolve(true)
    await storing.promise
    reader.onError(broken)
    expect([client.text(), client.isEnded()]).toEqual([expected, true])
  })

  it("fails if it cannot be stored", async () => {
    const { reader, client, storing } = openResponse()
    reader.onData(Buffer.from(sent))
    storing.reject(new Failure("unavailable", "Broken disk"))
    await storing.promise.catch(() => {})
    await Promise.resolve()
    const [created, delta] = withMembers(createEvents())
    const failed = {
      ...{ type: "response.failed", sequence_number: 2 },
      response: {
        ...{ ...response, ...members, status: "failed" },
        error: { code: "server_error", message: "Broken disk" },
      },
    }
    expect(client.text()).toBe(format([created, delta, failed].flatMap((event) => event ?? [])))
    expect(client.isEnded()).toBe(true)
    expect(client.context).toHaveProperty("failure.code", "unavailable")
  })

  it("drops an event that did not arrive completely", () => {
    const { reader, client, saved } = openResponse()
    const [created = "", delta = ""] = sent.split("\n\n")
    reader.onData(Buffer.from(`${created}\n\n${delta.slice(0, -5)}`))
    reader.onError(broken)
    const types = [...client.text().matchAll(/^event: (.*)$/gm)].map(([, type]) => type)
    expect(types).toEqual(["response.created", "response.failed"])
    expect(saved).toEqual([])
  })
})
