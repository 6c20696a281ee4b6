import { APIUserAbortError } from "@anthropic-ai/sdk"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { addConnection, waitUntilNoneRests } from "../connections/connection-client.ts"
import { type FakeAnthropic, startFakeAnthropic } from "../fakes/anthropic.ts"
import { serviceUnavailable } from "../fakes/faults.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { countPosts } from "../fakes/upstream.ts"
import {
  chatModel,
  claudeModel,
  type MessagesTestbed,
  requestTo,
  startMessagesTestbed,
} from "./messages-testbed.ts"

let testbed: MessagesTestbed
/** Offers the same model as Anthropic's fake, as a chat model. */
let other: FakeOpenAI
let second: FakeAnthropic
const added: string[] = []

beforeAll(async () => {
  testbed = await startMessagesTestbed()
  other = await startFakeOpenAI({ models: ["mixed-fake", claudeModel] })
  second = await startFakeAnthropic()
})
afterEach(async () => {
  for (const id of added.splice(0)) {
    await testbed.gateway.call("DELETE", `/api/v1/connections/${id}`)
  }
  testbed.reset()
  other.clearFaults()
  second.reset()
})
afterAll(async () => {
  await testbed.stop()
  await other.close()
  await second.close()
})

const addOther = async (): Promise<void> => {
  const fields = { kind: "openai", name: "other", base_url: other.url }
  added.push(await addConnection(testbed.gateway, fields))
}

describe("failover", () => {
  /** Requests at the same time go to both connections first. */
  const sendFour = (stream: boolean) => {
    const body = { ...requestTo(claudeModel), service_tier: "auto", stream }
    return Promise.all(Array.from({ length: 4 }, () => testbed.send(body)))
  }

  it.each([false, true])("between different formats (stream: %s)", async (stream) => {
    await addOther()
    const cases = [
      { failing: testbed.anthropic, isPassed: false, dropped: "service_tier" },
      { failing: other, isPassed: true, dropped: null },
    ]
    for (const { failing, isPassed, dropped } of cases) {
      await waitUntilNoneRests(testbed.gateway)
      failing.injectFault(serviceUnavailable, { times: Infinity, on: /messages|completions/ })
      const before = countPosts(failing)
      for (const { status, text, headers } of await sendFour(stream)) {
        expect(status).toBe(200)
        expect(text.includes("msg_fake")).toBe(isPassed)
        expect(text).toContain("end_turn")
        expect(headers.get("x-portico-dropped")).toBe(dropped)
      }
      expect(countPosts(failing)).toBeGreaterThan(before)
      failing.clearFaults()
    }
  })

  it("between connections of Anthropic", async () => {
    const connection = { kind: "anthropic", base_url: second.origin, api_key: "anthropic-key" }
    added.push(await addConnection(testbed.gateway, { name: "second", ...connection }))
    for (const failing of [testbed.anthropic, second]) {
      await waitUntilNoneRests(testbed.gateway)
      failing.injectFault(serviceUnavailable, { times: Infinity, on: /messages/ })
      const before = countPosts(failing)
      for (const { status, text } of await sendFour(false)) {
        expect(status).toBe(200)
        expect(text).toContain("Hello there.")
      }
      expect(countPosts(failing)).toBeGreaterThan(before)
      failing.clearFaults()
    }
  })

  const url = "https://example.com/bees.pdf"
  it.each<[string, object]>([
    ["a server-side tool", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    [
      "a document at an address",
      {
        messages: [{ role: "user", content: [{ type: "document", source: { type: "url", url } }] }],
      },
    ],
  ])("uses the connections that support %s", async (_what, fields) => {
    await addOther()
    await waitUntilNoneRests(testbed.gateway)
    const before = countPosts(other)
    const body = { ...requestTo(claudeModel), ...fields }
    const responses = await Promise.all(Array.from({ length: 4 }, () => testbed.send(body)))
    for (const { status, text } of responses) {
      expect(status, text).toBe(200)
      expect(text).toContain("msg_fake")
    }
    expect(testbed.anthropic.lastBody()).toEqual(body)
    expect(countPosts(other)).toBe(before)
  })

  it("ends with the response of a connection that failed, if no other supports the request", async () => {
    await addOther()
    await waitUntilNoneRests(testbed.gateway)
    testbed.anthropic.injectFault(serviceUnavailable, { on: /messages/ })
    const content = [{ type: "document", source: { type: "url", url } }]
    const body = { ...requestTo(claudeModel), messages: [{ role: "user", content }] }
    const { status, text } = await testbed.send(body)
    expect(status).toBe(503)
    expect(JSON.parse(text)).toMatchObject({ error: { message: "Unavailable" } })
  })

  it("reports an unreachable connection, if no other supports the request", async () => {
    await addOther()
    await waitUntilNoneRests(testbed.gateway)
    testbed.anthropic.injectFault({ kind: "reset" }, { times: Infinity, on: /messages/ })
    const content = [{ type: "document", source: { type: "url", url } }]
    const body = { ...requestTo(claudeModel), messages: [{ role: "user", content }] }
    const before = countPosts(other)
    const { status, text } = await testbed.send(body)
    expect(status).toBe(502)
    expect(JSON.parse(text)).toMatchObject({ type: "error", error: { type: "api_error" } })
    expect(countPosts(other)).toBe(before)
  })

  it("ends with the error of the first connection if all fail", async () => {
    await addOther()
    await waitUntilNoneRests(testbed.gateway)
    const error = { type: "overloaded_error", message: "Unavailable" }
    const fault = { ...serviceUnavailable, body: { type: "error", error } }
    testbed.anthropic.injectFault(fault, { on: /messages/ })
    other.injectFault(serviceUnavailable, { on: /completions/ })
    const { status, text } = await testbed.send(requestTo(claudeModel))
    expect(status).toBe(503)
    expect(JSON.parse(text)).toMatchObject({ type: "error", error: { message: "Unavailable" } })
  })
})

describe("a client that disconnects", () => {
  it.each([chatModel, claudeModel])("ends the request to the provider of %s", async (model) => {
    const upstream = model === chatModel ? testbed.openai : testbed.anthropic
    upstream.injectFault({ kind: "slow_frames", ms: 500 }, { on: /messages|completions/ })
    const next = upstream.nextRequest(/messages|completions/)
    const stream = testbed.client.messages.stream(requestTo(model))
    const ended = stream.finalMessage()
    const request = await next
    await new Promise<void>((resolve) => stream.once("streamEvent", () => resolve()))
    stream.abort()
    await expect(ended).rejects.toBeInstanceOf(APIUserAbortError)
    await request.aborted
    const { headers } = (await stream.withResponse()).response
    expect(await testbed.usageOf({ headers })).toMatchObject({ outcome: "client_cancelled" })
  })

  it("before the first byte ends the request too", async () => {
    testbed.openai.injectFault({ kind: "hang" }, { on: /completions/ })
    const next = testbed.openai.nextRequest(/completions/)
    const controller = new AbortController()
    const answer = testbed.client.messages.create(
      { ...requestTo(chatModel), stream: true },
      { signal: controller.signal },
    )
    const request = await next
    controller.abort()
    await expect(answer).rejects.toBeInstanceOf(APIUserAbortError)
    await request.aborted
  })
})
