import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { startFakeOpenAI } from "../fakes/openai.ts"
import type { RecordedRequest } from "../fakes/upstream.ts"
import { httpVariants } from "../harness/transports.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  nativeModel,
  type ResponsesTestbed,
  readEvents,
  startResponsesTestbed,
} from "./responses-testbed.ts"

describe.each(httpVariants)("over %s", (_name, env) => {
  let testbed: ResponsesTestbed

  beforeAll(async () => {
    testbed = await startResponsesTestbed(env)
    await testbed.gateway.call("POST", "/api/v1/connections/create", {
      ...{ kind: "openai", name: "Second", base_url: testbed.openai.url, id_prefix: "second" },
    })
    await waitForModels(testbed.gateway, [`second.${nativeModel}`])
  })
  afterEach(() => testbed.reset())
  afterAll(() => testbed.stop())

  const lastRequest = (): RecordedRequest => {
    const request = testbed.openai.requests.findLast(({ path }) => path === "/v1/responses")
    if (!request) throw new Error("The provider received no request")
    return request
  }

  /** Members in an unusual order and with unusual spaces, and ones that the gateway does not know. */
  const unusual = (model: string, stream: boolean): string =>
    `{ "x_new": {"b":1, "a":[ ]},"stream":${stream}, "store" : false,
  "input":[{"content":[{"type":"novel","z":null},{"type":"input_text","text":"a\\u0020b c d"}],
  "role":"user"}, {"type":"web_search_call","id":"ws_1","status":"completed"}],
  "max_output_tokens" : 1e2, "model": "${model}", "previous_response_id":null,
  "tools":[{"type":"web_search"},{"type":"mcp","server_label":"m"}], "prompt":{"id":"pmpt_1"}}`

  describe("a request that is not to be stored, for a provider with the Responses API", () => {
    it.each([false, true])("arrives unchanged, byte for byte (stream: %s)", async (stream) => {
      const body = unusual(nativeModel, stream)
      const { status, text, headers } = await testbed.send(body)
      expect(status).toBe(200)
      const { body: received, sent, headers: forwarded } = lastRequest()
      expect(received.toString()).toBe(body)
      expect(forwarded.authorization).toBe("Bearer openai-key")
      expect(text).toBe(sent.body.toString())
      expect(headers.get("x-portico-dropped")).toBeNull()
      expect(headers.get("content-type")).toContain(stream ? "text/event-stream" : "json")
    })

    it("has nothing but the model's name replaced if the provider knows it by another", async () => {
      expect((await testbed.send(unusual(`second.${nativeModel}`, false))).status).toBe(200)
      expect(lastRequest().body.toString()).toBe(unusual(nativeModel, false))
    })

    it("may be larger than one that the gateway has to read", async () => {
      const input = "x".repeat(17_000_000)
      const { status } = await testbed.send({ model: nativeModel, input, store: false })
      expect(status).toBe(200)
      expect(lastRequest().bytes).toBeGreaterThan(17_000_000)
      const stored = await testbed.send({ model: nativeModel, input })
      expect(stored.status).toBe(413)
    })

    it.each(["\r\n", "\n"])(
      "is answered byte for byte with lines that end with %j",
      async (end) => {
        const events = [
          '{"type":"response.created","response":{"id":"r"}}',
          '{"type":"x","ä":"🐝"}',
        ]
        const last = '{"type":"response.completed", "response":{"id":"r","output":[]}}'
        const body = [": hi", ...[...events, last].map((data) => `data: ${data}`), "data: [DONE]"]
          .map((frame) => `${frame}${end}${end}`)
          .join("")
        for (const steps of [[body], [...Buffer.from(body)].map((byte) => Buffer.of(byte))]) {
          const head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
          testbed.openai.injectFault(
            { kind: "raw", steps: [head, ...steps], ends: "close" },
            { on: /responses/ },
          )
          const request = { model: nativeModel, input: "x", store: false, stream: true }
          expect((await testbed.send(request)).text).toBe(body)
        }
      },
    )

    it("has its usage recorded", async () => {
      for (const stream of [false, true]) {
        const body = { model: nativeModel, input: "One two", store: false, stream }
        expect(await testbed.usageOf(await testbed.send(body))).toMatchObject({
          ...{ operation: "responses", model: nativeModel, connection_id: "env-openai-0" },
          ...{ outcome: "ok", streamed: Number(stream), tokens_in: 5, tokens_out: 4, estimated: 0 },
        })
      }
    })

    it("is recorded as failed if the provider ends its stream with an error", async () => {
      const error = { code: "server_error", message: "No." }
      const failed = { type: "response.failed", response: { id: "r", status: "failed", error } }
      const body = `event: response.failed\ndata: ${JSON.stringify(failed)}\n\n`
      const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
      const fault = { kind: "raw", steps: [head, body], ends: "close" } as const
      testbed.openai.injectFault(fault, { on: /responses/ })
      const request = { model: nativeModel, input: "x", store: false, stream: true }
      const response = await testbed.send(request)
      expect(response.text).toBe(body)
      expect(await testbed.usageOf(response)).toMatchObject({ outcome: "upstream_error" })
    })

    it.each([400, 429, 500])("fails with the provider's bytes and status %d", async (status) => {
      const body = { error: { message: "No.", type: "t", param: "x", code: null }, y: [1] }
      const headers = { "retry-after": "7", "x-ratelimit-remaining-tokens": "0" }
      testbed.openai.injectFault({ kind: "status", status, body, headers }, { on: /responses/ })
      const response = await testbed.send({ model: nativeModel, input: "x", store: false })
      expect([response.status, response.text]).toEqual([status, JSON.stringify(body)])
      expect(response.headers.get("retry-after")).toBe("7")
      expect(response.headers.has("x-ratelimit-remaining-tokens")).toBe(false)
    })
  })

  describe("a request that is to be stored, for a provider with the Responses API", () => {
    it.each([false, true])("is changed only in what concerns it (stream: %s)", async (stream) => {
      const more = { x_new: { a: [1] }, tools: [{ type: "web_search" }], metadata: { a: "b" } }
      const request = { model: nativeModel, input: "One two", stream, ...more }
      const { text } = await testbed.send(request)
      expect(lastRequest().json).toEqual({ ...request, store: false })
      const sent = lastRequest().sent.body.toString()
      const idIn = (body: string): string => /"id":"(resp_\w+)"/.exec(body)?.[1] ?? ""
      const previous_response_id = idIn(text)
      expect(previous_response_id).not.toBe(idIn(sent))
      const changed = sent
        .replaceAll('"store":false', '"store":true')
        .replaceAll(idIn(sent), previous_response_id)
      expect(text).toBe(changed)

      const next = { ...request, input: "Three", previous_response_id }
      const continued = await testbed.send(next)
      expect(lastRequest().json).toMatchObject({ ...more, store: false })
      expect(lastRequest().json).not.toHaveProperty("previous_response_id")
      const bodies = stream
        ? readEvents(continued.text).flatMap(({ response }) => response ?? [])
        : [JSON.parse(continued.text)]
      expect(bodies).toHaveLength(stream ? 3 : 1)
      for (const body of bodies) expect(body).toMatchObject({ store: true, previous_response_id })
    })

    it("asks a model that reasons for what continues its reasoning", async () => {
      const request = { model: nativeModel, input: "One", reasoning: { effort: "low" } }
      await testbed.send({ ...request, include: ["file_search_call.results"] })
      const include = ["file_search_call.results", "reasoning.encrypted_content"]
      expect(lastRequest().json).toEqual({ ...request, include, store: false })
      await testbed.send({ ...request, store: false })
      expect(lastRequest().json).toEqual({ ...request, store: false })
    })
  })

  describe("the search for the Responses API", () => {
    const modelOf = (index: number): string => `probed-${index}-fake`
    let count = 0

    const addProvider = async () => {
      const model = modelOf(count++)
      const upstream = await startFakeOpenAI({ models: [model] })
      const { body } = await testbed.gateway.call("POST", "/api/v1/connections/create", {
        ...{ kind: "openai", name: model, base_url: upstream.url },
      })
      await waitForModels(testbed.gateway, [model])
      const paths = () =>
        upstream.requests
          .filter(({ method }) => method === "POST")
          .map(({ path, json }) => [path, json])
      const ask = async () => {
        const response = await testbed.client.responses.create({ model, input: "Hi", store: false })
        expect(response.output_text).toBe("You said: Hi")
      }
      const stop = async () => {
        await testbed.gateway.call("DELETE", `/api/v1/connections/${body.id}`)
        await upstream.close()
      }
      return { model, upstream, paths, ask, stop }
    }

    it.each([404, 405, 501])("finds that it is missing by status %d, once", async (status) => {
      const { upstream, paths, ask, stop } = await addProvider()
      upstream.injectFault({ kind: "status", status }, { on: /responses/ })
      await Promise.all([ask(), ask(), ask()])
      await ask()
      const probes = paths().filter(([path]) => path === "/v1/responses")
      expect(probes).toEqual([["/v1/responses", {}]])
      expect(paths()).toHaveLength(5)
      await stop()
    })

    it("finds it, once", async () => {
      const { paths, ask, stop } = await addProvider()
      await Promise.all([ask(), ask(), ask()])
      const probes = paths().filter(([, json]) => Object.keys(Object(json)).length === 0)
      expect(probes).toHaveLength(1)
      expect(paths().map(([path]) => path)).toEqual(Array(4).fill("/v1/responses"))
      await stop()
    })

    it.each([
      { kind: "reset" as const },
      { kind: "status" as const, status: 503 },
      { kind: "status" as const, status: 429 },
    ])("is repeated if it found nothing: %j", async (fault) => {
      const { upstream, model, paths, ask, stop } = await addProvider()
      upstream.injectFault(fault, { on: /responses/, times: 2 })
      await testbed.send({ model, input: "Hi", store: false })
      upstream.clearFaults()
      upstream.injectFault({ kind: "status", status: 404 }, { on: /responses/ })
      await ask()
      expect(paths().at(-1)?.[0]).toBe("/v1/chat/completions")
      await stop()
    })
  })

  it("reasoning that the provider cannot read is removed whatever the space around colons", async () => {
    const item = (space: string) => `{"type"${space}:${space}"reasoning","id":"rs_1","summary":[]}`
    for (const space of ["", " ", "  ", "\t", "\r\n"]) {
      const body = `{"model":"${nativeModel}","store":false,"input":[${item(space)},{"role":"user","content":"x"}]}`
      expect((await testbed.send(body)).status).toBe(200)
      expect(lastRequest().json).toMatchObject({ input: [{ role: "user", content: "x" }] })
    }
  })
})
