import { APIUserAbortError } from "openai"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { addConnection, waitUntilNoneRests } from "../connections/connection-client.ts"
import { serviceUnavailable } from "../fakes/faults.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { countPosts } from "../fakes/upstream.ts"
import { saveFunction } from "../functions/function-client.ts"
import { claudeModel } from "../messages/messages-testbed.ts"
import {
  chatModel,
  nativeModel,
  type ResponsesTestbed,
  readEvents,
  startResponsesTestbed,
  terminalTypes,
} from "./responses-testbed.ts"

let testbed: ResponsesTestbed
/** Offers the native model too, without the Responses API. */
let other: FakeOpenAI
let added = ""

const removeResponses = () =>
  other.injectFault({ kind: "status", status: 404 }, { on: /responses/, times: Infinity })

beforeAll(async () => {
  testbed = await startResponsesTestbed()
  other = await startFakeOpenAI({ models: [nativeModel] })
})
afterEach(async () => {
  if (added) await testbed.gateway.call("DELETE", `/api/v1/connections/${added}`)
  added = ""
  testbed.reset()
  other.clearFaults()
})
afterAll(async () => {
  await testbed.stop()
  await other.close()
})

const answering = /responses|completions/

const addOther = async (): Promise<void> => {
  const fields = { kind: "openai", name: "other", base_url: other.url }
  added = await addConnection(testbed.gateway, fields)
}
/** Adds the connection, and has the gateway find out that it lacks the Responses API. */
const addOtherAndCheck = async (): Promise<void> => {
  removeResponses()
  await addOther()
  await testbed.client.responses.create({ model: nativeModel, input: "x" })
  await waitUntilNoneRests(testbed.gateway)
}

describe("failover", () => {
  /** Requests at the same time go to both connections first. */
  const sendFour = (fields: object) =>
    Promise.all(
      Array.from({ length: 4 }, (_, at) =>
        testbed.send({
          ...{ model: nativeModel, input: `Hi ${at}` },
          truncation: "auto",
          ...fields,
        }),
      ),
    )

  it.each([
    { stream: false, store: true },
    { stream: true, store: true },
    { stream: true, store: false },
  ])("between different formats: %j", async (fields) => {
    await addOtherAndCheck()
    const cases = [
      { failing: testbed.openai, dropped: "truncation" },
      { failing: other, dropped: null },
    ]
    for (const { failing, dropped } of cases) {
      await waitUntilNoneRests(testbed.gateway)
      failing.injectFault(serviceUnavailable, { times: Infinity, on: answering })
      const before = countPosts(failing)
      for (const { status, text, headers } of await sendFour(fields)) {
        expect(status).toBe(200)
        expect(text).toContain("You said: Hi")
        expect(headers.get("x-portico-dropped")).toBe(dropped)
        const ends = fields.stream ? terminalTypes(readEvents(text)) : ["response.completed"]
        expect(ends).toEqual(["response.completed"])
      }
      expect(countPosts(failing)).toBeGreaterThan(before)
      failing.clearFaults()
    }
  })

  it.each([true, false])("does not mix streams that break (store: %s)", async (store) => {
    await addOtherAndCheck()
    for (const upstream of [testbed.openai, other])
      upstream.injectFault({ kind: "break", after: 5 }, { on: answering, times: 4 })
    for (const { text } of await sendFour({ stream: true, store })) {
      const events = readEvents(text)
      expect(terminalTypes(events)).toEqual(["response.failed"])
      expect(events.filter(({ type }) => type === "response.created")).toHaveLength(1)
      const ids = events.flatMap(({ response }) => Object(response).id ?? [])
      expect(new Set(ids).size).toBe(1)
    }
  })

  it.each([{ tools: [{ type: "web_search" }] }, { prompt: { id: "pmpt_1" } }])(
    "uses the connections that support %j",
    async (fields) => {
      await addOtherAndCheck()
      const before = countPosts(other)
      for (const { status, text } of await sendFour({ store: false, ...fields })) {
        expect(status, text).toBe(200)
        expect(testbed.lastNativeBody()).toMatchObject(fields)
      }
      expect(countPosts(other)).toBe(before)
    },
  )

  it("ends with the error of the first connection if all fail", async () => {
    await addOtherAndCheck()
    for (const upstream of [testbed.openai, other])
      upstream.injectFault(serviceUnavailable, { on: answering, times: 4 })
    for (const { status, text } of await sendFour({})) {
      expect(status).toBe(503)
      expect(JSON.parse(text)).toMatchObject({ error: { message: "Unavailable" } })
    }
  })
})

describe("a request for which the gateway first checks what a connection supports", () => {
  /** Does something while the other connection is checked, which ends as the connection breaks. */
  const sendDuringCheck = async (work: () => unknown) => {
    await addOther()
    other.injectFault({ kind: "hang" }, { on: /responses/ })
    const checked = other.nextRequest(/responses/)
    const response = testbed.send({ model: nativeModel, input: "Hi", store: false })
    await checked
    await work()
    await other.restart()
    return response
  }

  it("is in progress meanwhile", async () => {
    const { status } = await sendDuringCheck(() =>
      expect(testbed.gateway.gateway.inFlight.count()).toBe(1),
    )
    expect(status).toBe(200)
  })

  it("passes the filters that are attached meanwhile", async () => {
    const code = `export const before = (request) =>
      ({ ...request, messages: [{ role: "user", content: "Filtered" }] })`
    const { status, text } = await sendDuringCheck(() =>
      saveFunction(testbed.gateway, "replace", code, { filter_models: [nativeModel] }),
    )
    await testbed.gateway.call("DELETE", "/api/v1/functions/id/replace/delete")
    expect(status, text).toBe(200)
    expect(text).toContain("You said: Filtered")
  })
})

describe("a client that disconnects", () => {
  it.each([chatModel, claudeModel, nativeModel])("ends the request to %s", async (model) => {
    const upstream = { [chatModel]: testbed.chat, [claudeModel]: testbed.anthropic }[model]
    const target = upstream ?? testbed.openai
    const on = model === chatModel ? /completions/ : /messages|responses/
    target.injectFault({ kind: "slow_frames", ms: 500 }, { on })
    const next = target.nextRequest(on)
    const stream = testbed.client.responses.stream({ model, input: "One two three" })
    const ended = stream.finalResponse()
    const request = await next
    await new Promise<void>((resolve) => stream.once("event", () => resolve()))
    stream.abort()
    await expect(ended).rejects.toBeInstanceOf(APIUserAbortError)
    await request.aborted
  })

  it.each([true, false])(
    "before the first byte ends the request too (store: %s)",
    async (store) => {
      testbed.openai.injectFault({ kind: "hang" }, { on: /responses/ })
      const next = testbed.openai.nextRequest(/responses/)
      const controller = new AbortController()
      const answer = testbed.client.responses.create(
        { model: nativeModel, input: "Hi", store },
        { signal: controller.signal },
      )
      const request = await next
      controller.abort()
      await expect(answer).rejects.toBeInstanceOf(APIUserAbortError)
      await request.aborted
    },
  )
})
