import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { countPosts } from "../fakes/upstream.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { adminKey } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { startTestGatewayProcess } from "../harness/test-gateway-process.ts"
import { waitFor } from "../harness/usage-records.ts"
import { claudeModel } from "../messages/messages-testbed.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  chatModel,
  nativeModel,
  type ResponsesTestbed,
  readEvents,
  startResponsesTestbed,
  terminalTypes,
} from "./responses-testbed.ts"

let testbed: ResponsesTestbed

beforeAll(async () => {
  testbed = await startResponsesTestbed({ MAX_STORAGE: "50KB/1GB" })
})
afterEach(() => testbed.reset())
afterAll(async () => {
  await testbed.stop()
  killAllGateways()
})

const models = [chatModel, claudeModel, nativeModel]

/** Requests that providers received. */
const countRequests = (): number => countPosts(testbed.openai, testbed.anthropic, testbed.chat)

/** Reads events until one of this type has arrived. */
const readUntil = async (response: Response, type: string): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes(`event: ${type}\n`) && text.endsWith("\n\n")) return text
  }
  throw new Error(`The stream ended without ${type}: ${text}`)
}

const idIn = (text: string): string => /"id":"(resp_\w+)"/.exec(text)?.[1] ?? ""

const startStream = (url: string, body: object, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ ...body, stream: true }),
    ...(signal && { signal }),
  })

describe.each(models)("a response of %s that is stored", (model) => {
  it("can be retrieved when its last event arrives", async () => {
    for (let round = 0; round < 5; round++) {
      const body = { model, input: `Round ${round}`, metadata: { round: `${round}` } }
      const response = await startStream(testbed.gateway.url, body)
      const text = await readUntil(response, "response.completed")
      const found = await testbed.gateway.call("GET", `/v1/responses/${idIn(text)}`)
      expect(found.status).toBe(200)
      expect(found.body).toEqual(readEvents(text).at(-1)?.response)
      await response.body?.cancel().catch(() => {})
    }
  })

  it("is not stored if its client disconnects before the end", async () => {
    const upstream = {
      [chatModel]: testbed.chat,
      [claudeModel]: testbed.anthropic,
      [nativeModel]: testbed.openai,
    }[model]
    const on = /completions|messages|responses/
    upstream?.injectFault(
      { kind: "slow_frames", ms: 300 },
      { on: model === chatModel ? /completions/ : on },
    )
    const next = upstream?.nextRequest(model === chatModel ? /completions/ : on)
    const controller = new AbortController()
    const body = { model, input: "One two three" }
    const response = await startStream(testbed.gateway.url, body, controller.signal)
    const request = await next
    const text = await readUntil(response, "response.in_progress")
    controller.abort()
    await request?.aborted
    const found = await testbed.gateway.call("GET", `/v1/responses/${idIn(text)}`)
    expect(found.status).toBe(404)
    expect(await testbed.usageOf(response)).toMatchObject({ outcome: "client_cancelled" })
  })

  it("is refused before it is asked for if the input exceeds the user's storage", async () => {
    const { key } = await testbed.gateway.createUser(`full-${model}`)
    const body = { model, input: "x".repeat(60_000) }
    const headers = { "x-api-key": key }
    const before = countRequests()
    for (const stream of [false, true]) {
      const { status, text } = await testbed.send({ ...body, stream }, headers)
      expect(status).toBe(413)
      expect(JSON.parse(text).error).toMatchObject({
        ...{ code: "storage_limit", type: "invalid_request_error" },
        message: expect.stringContaining("MAX_STORAGE"),
      })
    }
    expect(countRequests()).toBe(before)
    const unstored = await testbed.send({ ...body, store: false }, headers)
    expect(unstored.status).toBe(200)
  })
})

it("a response that its provider sends without an id is stored under one", async () => {
  const body = JSON.stringify({ object: "response", status: "completed", output: [] })
  testbed.openai.injectFault({ kind: "reply", body }, { on: /responses/ })
  const { text } = await testbed.send({ model: nativeModel, input: "Hello" })
  const { id } = JSON.parse(text)
  expect((await testbed.gateway.call("GET", `/v1/responses/${id}`)).body).toEqual(JSON.parse(text))
})

describe.each([chatModel, nativeModel])("a response of %s that cannot be stored", (model) => {
  it.each([false, true])(
    "is delivered unstored if its output exceeds the user's storage (stream: %s)",
    async (stream) => {
      const { key } = await testbed.gateway.createUser(`small-${model}-${stream}`)
      const body = { model, input: "x".repeat(40_000), stream }
      const sent = await testbed.send(body, { "x-api-key": key })
      const events = stream ? readEvents(sent.text) : []
      expect(terminalTypes(events)).toEqual(stream ? ["response.completed"] : [])
      const response = stream ? Object(events.at(-1)?.response) : JSON.parse(sent.text)
      expect(response).toMatchObject({ status: "completed", store: false })
      expect(JSON.stringify(response.output)).toContain(body.input)
      const path = `/v1/responses/${response.id}`
      const found = await testbed.gateway.call("GET", path, undefined, { key })
      expect(found.status).toBe(404)
      expect(testbed.gateway.logLines).toContainEqual(
        expect.objectContaining({
          ...{ level: 40, request_id: sent.headers.get("x-request-id") },
          reason: expect.stringContaining("MAX_STORAGE"),
        }),
      )
    },
  )
})

describe("a response that is too large to be stored", () => {
  it("is refused before it is asked for if its input alone is", async () => {
    const before = countRequests()
    const items = Array.from({ length: 10_001 }, () => ({ role: "user", content: "x" }))
    for (const input of ["x".repeat(16_000_000), items]) {
      const { status, text } = await testbed.send({ model: nativeModel, input })
      expect(status).toBe(413)
      expect(JSON.parse(text).error).toMatchObject({
        ...{ code: "body_too_large", message: expect.stringContaining('"store" to false') },
      })
    }
    expect(countRequests()).toBe(before)
    const unstored = await testbed.send({ model: nativeModel, input: items, store: false })
    expect(unstored.status).toBe(200)
  })

  it("is delivered unstored if its output makes it so", async () => {
    const output = Array.from({ length: 10_000 }, (_, n) => ({ type: "message", id: `msg_${n}` }))
    const answer = { id: "resp_big", output, store: false }
    const reply = { kind: "reply" as const, body: JSON.stringify(answer) }
    testbed.openai.injectFault(reply, { on: /responses/ })
    const { status, text } = await testbed.send({ model: nativeModel, input: "x" })
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({ output, store: false })
  })
})

describe.each(chooseDatabases())("kill -9 on $name", ({ createDatabase }) => {
  it("loses no response whose last event has arrived", async () => {
    const database = await createDatabase()
    const upstream = await startFakeOpenAI()
    const env = { ...database.env, OPENAI_API_BASE_URLS: upstream.url }
    const first = await startTestGatewayProcess(env)
    await waitForModels(first, [nativeModel])
    const acknowledged: string[] = []
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; ; n++) {
        const body = { model: nativeModel, input: `Writer ${writer}, round ${n}` }
        const response = await startStream(first.url, body)
        acknowledged.push(idIn(await readUntil(response, "response.completed")))
        await response.body?.cancel().catch(() => {})
      }
    }
    const writers = [1, 2, 3].map((writer) => write(writer).catch(() => {}))
    await waitFor(() => acknowledged.length > 20)
    first.child.kill("SIGKILL")
    expect(await first.exited).toBe("SIGKILL")
    await Promise.all(writers)

    const second = await startTestGatewayProcess(env)
    for (const id of acknowledged) {
      const { status, body } = await second.call("GET", `/v1/responses/${id}`)
      expect([status, body.status, body.output?.length]).toEqual([200, "completed", 1])
    }
    second.child.kill("SIGTERM")
    expect(await second.exited).toBe(0)
    await upstream.close()
    await database.remove()
  }, 120_000)
})
