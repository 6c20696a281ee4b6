import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../fakes/json.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
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

  it("ends with an error if there is no storage left", async () => {
    const { key } = await testbed.gateway.createUser(`full-${model}`)
    const body = { model, input: "x".repeat(60_000) }
    const headers = { "x-api-key": key }
    const whole = await testbed.send(body, headers)
    expect(whole.status).toBe(413)
    expect(JSON.parse(whole.text).error).toMatchObject({
      ...{ code: "storage_limit", type: "invalid_request_error" },
      message: expect.stringContaining("MAX_STORAGE"),
    })
    const streamed = await testbed.send({ ...body, stream: true }, headers)
    const events = readEvents(streamed.text)
    expect(terminalTypes(events)).toEqual(["response.failed"])
    const failed = events.at(-1)?.response as JsonObject
    expect(failed).toMatchObject({
      ...{ status: "failed" },
      error: { code: "server_error", message: expect.stringContaining("MAX_STORAGE") },
    })
    const options = { key }
    const found = await testbed.gateway.call(
      "GET",
      `/v1/responses/${failed.id}`,
      undefined,
      options,
    )
    expect(found.status).toBe(404)
    const unstored = await testbed.send({ ...body, store: false }, headers)
    expect(unstored.status).toBe(200)
  })
})

describe("a response that is too large to be stored", () => {
  it("is an error, and can be had with store: false", async () => {
    const input = "x".repeat(15_900_000)
    const answer = { id: "resp_big", output: [], text: "y".repeat(200_000) }
    const reply = { kind: "reply" as const, body: JSON.stringify(answer) }
    testbed.openai.injectFault(reply, { on: /responses/, times: 2 })
    const { status, text } = await testbed.send({ model: nativeModel, input })
    expect(status).toBe(413)
    expect(JSON.parse(text).error).toMatchObject({
      ...{ code: "body_too_large", message: expect.stringContaining('"store" to false') },
    })
    const unstored = await testbed.send({ model: nativeModel, input, store: false })
    expect(unstored.text).toBe(reply.body)
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
