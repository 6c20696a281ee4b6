import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { httpVariants } from "../harness/transports.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  claudeModel,
  type MessagesTestbed,
  requestTo,
  startMessagesTestbed,
} from "./messages-testbed.ts"

describe.each(httpVariants)("over %s", (_name, env) => {
  let testbed: MessagesTestbed

  beforeAll(async () => {
    testbed = await startMessagesTestbed(env)
    await testbed.gateway.call("POST", "/api/v1/connections/create", {
      kind: "anthropic",
      name: "Second",
      base_url: testbed.anthropic.origin,
      api_key: "anthropic-key",
      id_prefix: "second",
    })
    await waitForModels(testbed.gateway, [`second.${claudeModel}`])
  })
  afterEach(() => testbed.reset())
  afterAll(() => testbed.stop())

  const lastRequest = (path = "/v1/messages") => {
    const request = testbed.anthropic.requests.findLast((one) => one.path === path)
    if (!request) throw new Error("The provider received no message")
    return request
  }

  /** Members in an unusual order and with unusual spaces, and ones that the gateway does not know. */
  const unusual = (model: string, stream: boolean): string =>
    `{ "x_new": {"b":1, "a":[ ]},"stream":${stream},
  "system":[{"cache_control":{"ttl":"1h","type":"ephemeral"},"type":"text","text":"Be\\u0020brief."}],
  "thinking":{"type":"adaptive"}, "max_tokens" : 1e2, "model": "${model}",
  "messages":[{"content":[{"type":"novel_block","z":null}],"role":"user"}],
  "tools":[{"type":"web_search_20250305","name":"web_search","max_uses":5}],
  "context_management":{"edits":[]}}`

  describe("a message for a model of Anthropic", () => {
    it.each([false, true])("arrives unchanged, byte for byte (stream: %s)", async (stream) => {
      const body = unusual(claudeModel, stream)
      const { status } = await testbed.send(body, { "anthropic-beta": "a-2025-01-01,b-2025-02-02" })
      expect(status).toBe(200)
      const { headers, body: received } = lastRequest()
      expect(received.toString()).toBe(body)
      expect(headers).toMatchObject({
        "x-api-key": "anthropic-key",
        "anthropic-version": "2023-06-01",
        "anthropic-beta": "a-2025-01-01,b-2025-02-02",
      })
      expect(headers.authorization).toBeUndefined()
    })

    it("has nothing but the model's name replaced if the provider knows it by another", async () => {
      const id = `second.${claudeModel}`
      expect((await testbed.send(unusual(id, false))).status).toBe(200)
      expect(lastRequest().body.toString()).toBe(unusual(claudeModel, false))
    })

    it.each([false, true])("is answered byte for byte (stream: %s)", async (stream) => {
      for (const reply of ["text", "thinking", "tools"] as const) {
        testbed.anthropic.reply = reply
        const { status, headers, text } = await testbed.send({ ...requestTo(claudeModel), stream })
        expect(status).toBe(200)
        expect(text).toBe(lastRequest().sent.body.toString())
        expect(headers.get("content-type")).toContain(stream ? "text/event-stream" : "json")
        expect(headers.get("x-portico-dropped")).toBeNull()
      }
    })

    it("has its usage recorded, with cached tokens", async () => {
      for (const stream of [false, true]) {
        const response = await testbed.send({ ...requestTo(claudeModel), stream })
        expect(await testbed.usageOf(response)).toMatchObject({
          operation: "messages",
          model: claudeModel,
          connection_id: "env-anthropic-0",
          outcome: "ok",
          streamed: Number(stream),
          tokens_in: 2111,
          tokens_out: 7,
          estimated: 0,
        })
      }
    })

    it.each([
      [400, "invalid_request_error"],
      [413, "request_too_large"],
      [429, "rate_limit_error"],
      [500, "api_error"],
      [529, "overloaded_error"],
    ])("fails with the provider's bytes and status %d", async (status, type) => {
      const body = { type: "error", error: { type, message: "No.", x: 1 }, request_id: "req_1" }
      const headers = { "retry-after": "7", "anthropic-ratelimit-requests-remaining": "0" }
      for (const stream of [false, true]) {
        testbed.anthropic.injectFault({ kind: "status", status, body, headers }, { on: /messages/ })
        const response = await testbed.send({ ...requestTo(claudeModel), stream })
        expect(response.status).toBe(status)
        expect(response.text).toBe(JSON.stringify(body))
        expect(response.headers.get("retry-after")).toBe("7")
        expect(response.headers.has("anthropic-ratelimit-requests-remaining")).toBe(false)
      }
    })

    it("fails in Anthropic's format if the provider's error has none", async () => {
      testbed.anthropic.injectFault({ kind: "html", status: 500 }, { on: /messages/ })
      const { status, text } = await testbed.send(requestTo(claudeModel))
      expect(status).toBe(500)
      expect(JSON.parse(text)).toEqual({
        type: "error",
        error: { type: "api_error", message: expect.stringContaining("no readable error message") },
      })
    })

    it("does not show clients that the gateway's own key is wrong", async () => {
      const body = { type: "error", error: { type: "authentication_error", message: "sk-ant…" } }
      testbed.anthropic.injectFault({ kind: "status", status: 401, body }, { on: /messages/ })
      const { status, text } = await testbed.send(requestTo(claudeModel))
      expect(status).toBe(502)
      expect(JSON.parse(text)).toEqual({
        type: "error",
        error: {
          type: "api_error",
          message: expect.stringContaining("rejected the gateway's credential"),
        },
      })
    })

    it("has its tokens counted by the provider", async () => {
      const body = unusual(claudeModel, false)
      const { status, text } = await testbed.send(body, {}, "/messages/count_tokens?beta=true")
      expect(status).toBe(200)
      expect(text).toBe('{"input_tokens":2095}')
      expect(lastRequest("/v1/messages/count_tokens").body.toString()).toBe(body)
    })
  })
})
