import { APIError } from "@anthropic-ai/sdk"
import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources"
import { describe, expect, it } from "vitest"
import type { Fault } from "../fakes/faults.ts"
import { saveFunction } from "../functions/function-client.ts"
import {
  chatModel,
  claudeModel,
  requestTo,
  testbed,
  useMessagesTestbed,
} from "./messages-testbed.ts"

const heartbeatMs = 40
const silenceMs = 300
const ping = 'event: ping\ndata: {"type":"ping"}\n\n'

useMessagesTestbed({}, { heartbeatMs })

const inject = (model: string, fault: Fault): void =>
  model === chatModel
    ? testbed.openai.injectFault(fault, { on: /completions/ })
    : testbed.anthropic.injectFault(fault, { on: /messages/ })

const streamText = async (model: string): Promise<string> =>
  (await testbed.send({ ...requestTo(model), stream: true })).text

/** The events of a stream, each of which must be complete. */
const eventsOf = (text: string): RawMessageStreamEvent[] => {
  expect(text.endsWith("\n\n")).toBe(true)
  return text
    .slice(0, -2)
    .split("\n\n")
    .map((event) => {
      const [, name, data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? []
      const parsed = JSON.parse(data)
      expect(parsed.type).toBe(name)
      return parsed
    })
}

const countPings = (text: string): number => text.split(ping).length - 1

describe.each([chatModel, claudeModel])("while %s is silent", (model) => {
  it("pings are sent before its first byte", async () => {
    inject(model, { kind: "slow_headers", ms: silenceMs })
    const response = await fetch(`${testbed.gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": testbed.gateway.key },
      body: JSON.stringify({ ...requestTo(model), stream: true }),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    const text = await response.text()
    expect(text.startsWith(ping)).toBe(true)
    expect(countPings(text)).toBeGreaterThan(1)
    const types = eventsOf(text).map(({ type }) => type as string)
    const rest = types.slice(types.lastIndexOf("ping") + 1)
    expect(types).toContain("message_start")
    expect(rest.at(-1)).toBe("message_stop")
  })

  it("pings are sent between its events", async () => {
    inject(model, { kind: "slow_frames", ms: 100 })
    const text = await streamText(model)
    expect(countPings(text)).toBeGreaterThan(1)
    expect(eventsOf(text).at(-1)?.type).toBe("message_stop")
    expect(text.indexOf(ping)).toBeGreaterThan(text.indexOf("message_start"))
  })

  it("the SDK waits for its message", async () => {
    inject(model, { kind: "slow_headers", ms: silenceMs })
    const message = await testbed.client.messages.stream(requestTo(model)).finalMessage()
    expect(message).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text" }] })
    inject(model, { kind: "slow_frames", ms: 100 })
    const second = await testbed.client.messages.stream(requestTo(model)).finalMessage()
    expect(second.content).toEqual(message.content)
  })

  it("an error after pings is the last event", async () => {
    for (const fault of [
      "HTTP/1.1 529 x\r\ncontent-type: application/json\r\ncontent-length: 75\r\n\r\n" +
        '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
      "HTTP/1.1 500 x\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>",
    ]) {
      inject(model, { kind: "raw", steps: [silenceMs, fault], ends: "close" })
      const text = await streamText(model)
      const types = eventsOf(text).map(({ type }) => type as string)
      expect(types.filter((type) => type !== "ping")).toEqual(["error"])
      expect(types.at(0)).toBe("ping")
      expect(types.at(-1)).toBe("error")
      inject(model, { kind: "raw", steps: [silenceMs, fault], ends: "close" })
      const failed = testbed.client.messages.stream(requestTo(model)).finalMessage()
      await expect(failed).rejects.toBeInstanceOf(APIError)
    }
  })

  it("its break after pings is an error event", async () => {
    inject(model, { kind: "raw", steps: [silenceMs], ends: "reset" })
    const types = eventsOf(await streamText(model)).map(({ type }) => type as string)
    expect(types.at(0)).toBe("ping")
    expect(types.filter((type) => type !== "ping")).toEqual(["error"])
  })

  it("no pings are sent into a response that is not streamed", async () => {
    inject(model, { kind: "slow_headers", ms: silenceMs })
    const { text } = await testbed.send(requestTo(model))
    expect(JSON.parse(text)).toMatchObject({ type: "message" })
  })
})

describe("while a function is silent", () => {
  it("pings are sent before and between its pieces", async () => {
    const code = `export const name = "Slow"
    const wait = () => new Promise((resolve) => setTimeout(resolve, 200))
    export async function* reply() { await wait(); yield "One "; await wait(); yield "two" }`
    await saveFunction(testbed.gateway, "slow", code)
    const text = await streamText("slow")
    const types = eventsOf(text).map(({ type }) => type as string)
    expect(types.at(0)).toBe("ping")
    expect(types.indexOf("ping", types.indexOf("message_start"))).toBeGreaterThan(0)
    expect(types.at(-1)).toBe("message_stop")
  })
})

describe("a ping", () => {
  it("does not split an event that a provider sends in pieces", async () => {
    const event = 'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    for (let cut = 0; cut <= event.length; cut += 7) {
      inject(claudeModel, {
        kind: "raw",
        steps: [head, 3 * heartbeatMs, event.slice(0, cut), 3 * heartbeatMs, event.slice(cut)],
        ends: "close",
      })
      const text = await streamText(claudeModel)
      expect(text.replaceAll(ping, "")).toBe(event)
      expect(eventsOf(text).at(-1)?.type).toBe("message_stop")
    }
  })

  it("is sent between events that end with carriage returns", async () => {
    const start = 'event: message_start\r\ndata: {"type":"message_start"}\r\n\r\n'
    const stop = 'event: message_stop\r\ndata: {"type":"message_stop"}\r\n\r\n'
    const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    inject(claudeModel, { kind: "raw", steps: [head, start, silenceMs, stop], ends: "close" })
    const text = await streamText(claudeModel)
    expect(text.replaceAll(ping, "")).toBe(start + stop)
    expect(text).toContain(`\r\n\r\n${ping}`)
  })
})
