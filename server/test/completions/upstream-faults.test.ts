import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Blackhole, startBlackhole } from "../fakes/blackhole.ts"
import type { Fault } from "../fakes/faults.ts"
import { ERROR_PAGE, GARBAGE } from "../fakes/faults.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { maxDelayMs } from "../harness/timing.ts"
import { httpVariants } from "../harness/transports.ts"
import { waitFor, waitForUsageRecords } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"

describe.each(httpVariants)("over %s", (_name, env) => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let blackhole: Blackhole

  beforeAll(async () => {
    upstream = await startFakeOpenAI({ apiKey: "up-key" })
    blackhole = await startBlackhole()
    gateway = await startGateway({
      ...env,
      OPENAI_API_BASE_URLS: upstream.url,
      OPENAI_API_KEYS: "up-key",
      UPSTREAM_CONNECT_TIMEOUT: "300ms",
      UPSTREAM_FIRST_BYTE_TIMEOUT: "400ms",
      UPSTREAM_IDLE_TIMEOUT: "300ms",
    })
    await waitForModels(gateway, ["gpt-fake"])
  })
  afterEach(() => upstream.clearFaults())
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await blackhole.close()
  })

  const sendChat = async (stream: boolean, fields: object = {}) => {
    const body = { model: "gpt-fake", messages: [{ role: "user", content: "a b c" }], stream }
    const started = performance.now()
    const reply = await gateway.call("POST", "/v1/chat/completions", { ...body, ...fields })
    const durationMs = performance.now() - started
    const records = await waitForUsageRecords(gateway, reply.headers.get("x-request-id") ?? "")
    return { ...reply, took: durationMs, records }
  }

  const sendWithFault = (stream: boolean, fault: Fault) => {
    upstream.injectFault(fault, { on: /chat/ })
    return sendChat(stream)
  }

  const lastEvent = (body: string) => {
    const frames = body.split("\n\n").filter(Boolean)
    return JSON.parse(frames.at(-1)?.replace(/^(event: [\w.]+\n)?data: /, "") ?? "")
  }

  describe.each([
    ["whole", false],
    ["streamed", true],
  ])("before a %s response begins", (_name, stream) => {
    it.each([
      ["a reset", { kind: "reset" }, 502, "upstream_unreachable"],
      ["a hang", { kind: "hang" }, 504, "upstream_timeout"],
      ["a rejected API key", { kind: "status", status: 401 }, 502, "upstream_credentials"],
      [
        "an API key without permission",
        { kind: "status", status: 403 },
        502,
        "upstream_credentials",
      ],
      ["a sign-in page", { kind: "html", status: 200 }, 502, "upstream_broken"],
      [
        "random bytes",
        { kind: "garbage", contentType: "application/octet-stream" },
        502,
        "upstream_broken",
      ],
      [
        "a redirect",
        { kind: "status", status: 302, headers: { location: "/elsewhere" } },
        502,
        "upstream_broken",
      ],
    ] satisfies [string, Fault, number, string][])(
      "reports %s",
      async (_what, fault, status, code) => {
        const { body, records, ...reply } = await sendWithFault(stream, fault)
        expect(reply.status).toBe(status)
        expect(reply.headers.get("content-type")).toBe("application/json")
        expect(body.error).toMatchObject({ code, type: "server_error", param: null })
        expect(body.detail).toBe(body.error.message)
        expect(body.detail).not.toContain("up-key")
        const id = reply.headers.get("x-request-id")
        const line = await waitFor(() =>
          gateway.logLines.find(({ request_id }) => request_id === id),
        )
        expect(line).toMatchObject({ status, level: 50, error: body.detail, model: "gpt-fake" })
        expect(records).toMatchObject([{ outcome: "upstream_error", status, model: "gpt-fake" }])
        expect(records[0]).toMatchObject({
          tokens_in: 0,
          tokens_out: 0,
          connection_id: "env-openai-0",
        })
      },
    )

    it.each([400, 404, 409, 413, 422, 429, 500, 503])(
      "forwards status %d, body and Retry-After",
      async (status) => {
        const error = {
          error: { message: "because", type: "x", param: "p", code: "c" },
          extra: [1],
        }
        const headers = { "retry-after": "9", "x-ratelimit-remaining-requests": "0" }
        const reply = await sendWithFault(stream, { kind: "status", status, body: error, headers })
        expect(reply.status).toBe(status)
        expect(reply.body).toEqual(error)
        expect(reply.headers.get("retry-after")).toBe("9")
        expect(reply.headers.has("x-ratelimit-remaining-requests")).toBe(false)
        const outcome = status < 500 && status !== 429 ? "refused_request" : "upstream_error"
        expect(reply.records).toMatchObject([{ outcome, status }])
      },
    )

    it.each([500, 502, 404])(
      "replaces an HTML error page with status %d by a JSON error",
      async (status) => {
        const reply = await sendWithFault(stream, { kind: "html", status })
        expect(reply.status).toBe(status)
        expect(reply.headers.get("content-type")).toBe("application/json")
        expect(reply.body.error).toMatchObject({ code: "upstream_error", param: null })
        expect(JSON.stringify(reply.body)).not.toContain(ERROR_PAGE.slice(0, 6))
        expect(reply.records).toHaveLength(1)
      },
    )

    it("replaces an error body that is aborted or never ends", async () => {
      const body = { error: { message: "x".repeat(3_000_000) } }
      const huge = await sendWithFault(stream, { kind: "status", status: 500, body })
      expect(huge).toMatchObject({ status: 500, body: { error: { code: "upstream_error" } } })
      expect(huge.records).toMatchObject([{ outcome: "upstream_error", status: 500 }])
    })

    it("reports a refused connection", async () => {
      upstream.injectFault({ kind: "refuse" })
      await waitFor(async () => (await upstream.connections()) === 0)
      const reply = await sendChat(stream)
      await upstream.restart()
      expect(reply).toMatchObject({
        status: 502,
        body: { error: { code: "upstream_unreachable" } },
      })
      expect(reply.records).toMatchObject([{ outcome: "upstream_error", status: 502 }])
    })

    it("gives up on an address that does not respond to connection attempts", async () => {
      const other = await startFakeOpenAI({ models: ["void"] })
      const connection = { kind: "openai", name: "black hole", base_url: other.url }
      const { body } = await gateway.call("POST", "/api/v1/connections/create", connection)
      await waitForModels(gateway, ["void"])
      const moved = { base_url: blackhole.url }
      await gateway.call("POST", `/api/v1/connections/${body.id}/update`, moved)
      await other.close()
      const reply = await sendChat(stream, { model: "void" })
      await gateway.call("DELETE", `/api/v1/connections/${body.id}`)
      expect(reply).toMatchObject({
        status: 502,
        body: { error: { code: "upstream_unreachable" } },
      })
      // The test configures 300 ms; the default of UPSTREAM_CONNECT_TIMEOUT is 5 s.
      expect(reply.took).toBeLessThan(maxDelayMs)
      expect(reply.records).toMatchObject([{ outcome: "upstream_error", connection_id: body.id }])
    })
  })

  describe("within a response that is not streamed", () => {
    it.each([
      ["a reset", { kind: "break", after: 3 }, 502, "upstream_broken"],
      ["a close", { kind: "break", after: 3, by: "close" }, 502, "upstream_broken"],
      ["silence", { kind: "silence", after: 3 }, 504, "upstream_timeout"],
    ] satisfies [string, Fault, number, string][])(
      "reports %s",
      async (_what, fault, status, code) => {
        const { body, records, ...reply } = await sendWithFault(false, fault)
        expect(reply.status).toBe(status)
        expect(body.error).toMatchObject({ code, type: "server_error" })
        expect(records).toMatchObject([{ outcome: "upstream_error", status }])
      },
    )
  })

  describe("during a stream", () => {
    const events = (body: string) => body.split("\n\n").filter(Boolean)

    it.each([
      ["a reset", { kind: "break", after: 3 }, "upstream_broken"],
      ["a close", { kind: "break", after: 3, by: "close" }, "upstream_broken"],
      ["a premature end", { kind: "break", after: 3, by: "end" }, "upstream_broken"],
      ["silence", { kind: "silence", after: 3 }, "upstream_timeout"],
    ] satisfies [string, Fault, string][])(
      "ends with one error event after %s",
      async (_what, fault, code) => {
        const { status, body, records } = await sendWithFault(true, fault)
        expect(status).toBe(200)
        expect(events(body)).toHaveLength(4)
        expect(lastEvent(body).error).toMatchObject({ code, type: "server_error", param: null })
        expect(body).not.toContain("[DONE]")
        expect(records).toMatchObject([{ outcome: "upstream_error", status: 200, estimated: 1 }])
        expect(records[0]?.tokens_out).toBe(3)
        const line = await waitFor(() =>
          gateway.logLines.find(({ request_id }) => request_id === records[0]?.request_id),
        )
        expect(line.error).toBe(lastEvent(body).error.message)
      },
    )

    it.each([true, false])(
      "terminates a truncated frame by a blank line (usage requested: %s)",
      async (requested) => {
        upstream.injectFault({ kind: "break", after: 2, torn: true }, { on: /chat/ })
        const options = requested ? { stream_options: { include_usage: true } } : {}
        const { body } = await sendChat(true, options)
        const sent = upstream.requests.at(-1)?.sent.body.toString()
        expect(body.startsWith(`${sent}\n\ndata: {"error":`)).toBe(true)
        expect(lastEvent(body).error.code).toBe("upstream_broken")
      },
    )

    it("forwards garbage, and reports that it is not a valid response", async () => {
      const { body, records } = await sendWithFault(true, { kind: "garbage" })
      expect(body.startsWith(GARBAGE.toString())).toBe(true)
      expect(lastEvent(body).error.code).toBe("upstream_broken")
      expect(records).toMatchObject([{ outcome: "upstream_error" }])
    })

    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
    const usage = { prompt_tokens: 5, completion_tokens: 3 }
    const usageChunk = `data: ${JSON.stringify({ choices: [], usage })}\n\n`

    it.each([
      ["with usage", chunk({}, "stop") + usageChunk, 0],
      ["chunk", chunk({}, "stop"), 1],
      ["with a comment", `${chunk({}, "stop")}: bye\n\n`, 1],
    ])("adds a missing [DONE] after the finish %s", async (_what, frame, estimated) => {
      const { body, records } = await sendWithFault(true, { kind: "last_words", after: 3, frame })
      expect(body.endsWith("data: [DONE]\n\n")).toBe(true)
      expect(body).not.toContain("error")
      expect(records).toMatchObject([{ outcome: "ok", estimated }])
    })

    it("does not mistake the model's text for the end of the stream", async () => {
      const frame = chunk({ content: "data: [DONE]" }, null)
      const { body, records } = await sendWithFault(true, { kind: "last_words", after: 3, frame })
      expect(lastEvent(body).error.code).toBe("upstream_broken")
      expect(records).toMatchObject([{ outcome: "upstream_error" }])
    })

    it("does not mistake the model's text for the end of a response", async () => {
      const data = { type: "response.output_text.delta", delta: "response.completed" }
      const frame = `event: response.output_text.delta\ndata: ${JSON.stringify(data)}\n\n`
      const requested = { model: "gpt-fake", input: "hello", stream: true, store: false }
      // The first request finds out whether the provider has the API.
      await gateway.call("POST", "/v1/responses", requested)
      upstream.injectFault({ kind: "last_words", after: 3, frame }, { on: /responses/ })
      const { body } = await gateway.call("POST", "/v1/responses", requested)
      expect(lastEvent(body)).toMatchObject({
        type: "response.failed",
        response: { status: "failed", error: { code: "server_error" } },
      })
    })
  })
})
