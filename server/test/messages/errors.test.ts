import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "@anthropic-ai/sdk"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../fakes/json.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  chatModel,
  claudeModel,
  requestTo,
  testbed,
  useMessagesTestbed,
} from "./messages-testbed.ts"

useMessagesTestbed()

const catchError = (promise: Promise<unknown>): Promise<APIError> =>
  promise.then(
    () => Promise.reject(new Error("The request succeeded")),
    (error) => error,
  )

/** The error of a request, whole and streamed. */
const errorsOf = async (model: string, prepare: () => void = () => {}): Promise<APIError[]> => {
  prepare()
  const whole = await catchError(testbed.client.messages.create(requestTo(model)))
  prepare()
  const stream = testbed.client.messages.stream(requestTo(model))
  return [whole, await catchError(stream.finalMessage())]
}

const eventNames = (text: string): string[] =>
  [...text.matchAll(/^event: (\w+)$/gm)].map(([, name = ""]) => name)

/** Anthropic's events that end a stream. */
const terminalEvents = (text: string): string[] =>
  eventNames(text).filter((name) => name === "message_stop" || name === "error")

const failWith = (status: number, body: object, headers: Record<string, string> = {}) =>
  testbed.openai.injectFault(
    {
      kind: "status",
      status,
      body: JSON.parse(JSON.stringify(body)),
      headers: { "content-type": "application/json", ...headers },
    },
    { on: /completions/ },
  )

describe("an error before the answer", () => {
  it("of authentication", async () => {
    const client = testbed.createClient("sk-wrong")
    const error = await catchError(client.messages.create(requestTo(chatModel)))
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error.error).toMatchObject({ type: "error", error: { type: "authentication_error" } })
  })

  it("for a model that does not exist or is not granted", async () => {
    await testbed.gateway.call("POST", "/api/v1/connections/create", {
      ...{ kind: "openai", name: "Closed", base_url: testbed.openai.url },
      ...{ id_prefix: "closed", access_grants: [] },
    })
    await waitForModels(testbed.gateway, ["closed.gpt-fake"])
    const { key } = await testbed.gateway.createUser("Grace")
    for (const model of ["unknown", "closed.gpt-fake"]) {
      const refused = testbed.createClient(key).messages.create(requestTo(model))
      const error = await catchError(refused)
      expect(error).toBeInstanceOf(NotFoundError)
      expect(error.error).toMatchObject({
        type: "error",
        error: { type: "not_found_error", message: expect.stringContaining(model) },
      })
    }
  })

  it("for a model that the key is not for", async () => {
    const created = await testbed.gateway.call("POST", "/api/v1/auths/api_keys", {
      ...{ name: "limited", allowed_models: [claudeModel] },
    })
    const client = testbed.createClient(created.body.api_key)
    const error = await catchError(client.messages.create(requestTo(chatModel)))
    expect(error).toBeInstanceOf(PermissionDeniedError)
    expect(error.error).toMatchObject({ type: "error", error: { type: "permission_error" } })
  })

  it("of the provider, in Anthropic's format", async () => {
    const invalid = await errorsOf(chatModel, () =>
      failWith(400, {
        error: {
          message: "This model's maximum context length is 8192 tokens.",
          type: "invalid_request_error",
          code: "context_length_exceeded",
        },
      }),
    )
    for (const error of invalid) {
      expect(error).toBeInstanceOf(BadRequestError)
      expect(error.error).toEqual({
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "This model's maximum context length is 8192 tokens.",
        },
      })
    }
    const limited = await errorsOf(chatModel, () =>
      failWith(429, { error: { message: "Slow down." } }, { "retry-after": "7" }),
    )
    for (const error of limited) {
      expect(error).toBeInstanceOf(RateLimitError)
      expect(error.error).toMatchObject({ error: { type: "rate_limit_error" } })
      expect(error.headers?.get("retry-after")).toBe("7")
    }
    const overloaded = await errorsOf(chatModel, () => failWith(529, { error: "Overloaded" }))
    for (const error of overloaded) {
      expect(error).toBeInstanceOf(InternalServerError)
      expect(error.status).toBe(529)
      expect(error.error).toMatchObject({ error: { type: "overloaded_error" } })
    }
  })

  it.each<[JsonObject, string]>([
    [{}, "status 500"],
    [{ error: {} }, "status 500"],
    [{ detail: [{ loc: ["body"], msg: "Field required" }] }, "Field required"],
    [{ errors: [{ code: 7003, message: "No route" }] }, "No route"],
  ])("of the provider that has a body of another form: %j", async (body, message) => {
    for (const error of await errorsOf(chatModel, () => failWith(500, body))) {
      expect(error.status).toBe(500)
      expect(error.error).toEqual({
        type: "error",
        error: { type: "api_error", message: expect.stringContaining(message) },
      })
    }
  })

  it("of a provider that responds with a web page", async () => {
    const fault = () => testbed.openai.injectFault({ kind: "html" }, { on: /completions/ })
    for (const error of await errorsOf(chatModel, fault)) {
      expect(error.error).toMatchObject({ type: "error", error: { type: "api_error" } })
    }
  })

  it("of a provider that cannot be reached", async () => {
    const fault = () => testbed.openai.injectFault({ kind: "reset" }, { on: /completions/ })
    for (const error of await errorsOf(chatModel, fault)) {
      expect(error).toBeInstanceOf(InternalServerError)
      expect(error.status).toBe(502)
      expect(error.error).toMatchObject({ type: "error", error: { type: "api_error" } })
    }
  })

  it("of a provider that answers with something else than a completion", async () => {
    const fault = () =>
      testbed.openai.injectFault({ kind: "reply", body: '{"choices":[]}' }, { on: /completions/ })
    fault()
    const error = await catchError(testbed.client.messages.create(requestTo(chatModel)))
    expect(error.status).toBe(502)
    expect(error.error).toMatchObject({ type: "error", error: { type: "api_error" } })
  })
})

describe("an error of Anthropic that the gateway converts", () => {
  it("keeps its type", async () => {
    await testbed.gateway.call("POST", "/api/v1/models/create", {
      ...{ id: "captain", name: "Captain", base_model_id: claudeModel },
      params: { system: "You are a captain." },
    })
    await waitForModels(testbed.gateway, ["captain"])
    const error = { type: "overloaded_error", message: "Overloaded" }
    const fault = { kind: "status" as const, status: 529, body: { type: "error", error } }
    const prepare = () => testbed.anthropic.injectFault(fault, { on: /messages/ })
    for (const found of await errorsOf("captain", prepare)) {
      expect(found.status).toBe(529)
      expect(found.error).toEqual({ type: "error", error })
    }
    testbed.anthropic.streamEnd = "error"
    const { text } = await testbed.send({ ...requestTo("captain"), stream: true })
    expect(terminalEvents(text)).toEqual(["error"])
    expect(text.endsWith(`data: ${JSON.stringify({ type: "error", error })}\n\n`)).toBe(true)
  })
})

describe("an error within a stream", () => {
  const streamText = async (model: string): Promise<string> =>
    (await testbed.send({ ...requestTo(model), stream: true })).text

  it("that the provider reports is the last event", async () => {
    const frame = 'data: {"error":{"message":"Out of memory","code":500}}\n\n'
    const fault = () =>
      testbed.openai.injectFault({ kind: "last_words", after: 3, frame }, { on: /completions/ })
    fault()
    const text = await streamText(chatModel)
    expect(terminalEvents(text)).toEqual(["error"])
    expect(text).toMatch(/event: error\ndata: .*"api_error","message":"Out of memory"}}\n\n$/)
    fault()
    const stream = testbed.client.messages.stream(requestTo(chatModel))
    const error = await catchError(stream.finalMessage())
    expect(error).toBeInstanceOf(APIError)
    expect(error.message).toContain("Out of memory")
  })

  it.each([
    ["reset", false],
    ["close", true],
    ["end", false],
    ["end", true],
  ] as const)("is reported once if the provider stops: by %s, torn: %s", async (by, torn) => {
    const cut = { kind: "break", after: 3, by, torn } as const
    testbed.openai.injectFault(cut, { on: /completions/ })
    const text = await streamText(chatModel)
    expect(terminalEvents(text)).toEqual(["error"])
    expect(text).toContain('"type":"text_delta"')
    testbed.anthropic.injectFault(cut, { on: /messages/ })
    const passed = await streamText(claudeModel)
    expect(terminalEvents(passed)).toEqual(["error"])
    testbed.openai.injectFault(cut, { on: /completions/ })
    const stream = testbed.client.messages.stream(requestTo(chatModel))
    expect(await catchError(stream.finalMessage())).toBeInstanceOf(Anthropic.APIError)
  })

  it("is reported once if the provider's stream cannot be read", async () => {
    const frame = "data: {oops\n\n"
    testbed.openai.injectFault({ kind: "last_words", after: 3, frame }, { on: /completions/ })
    expect(terminalEvents(await streamText(chatModel))).toEqual(["error"])
  })

  it("of Anthropic is passed on", async () => {
    testbed.anthropic.streamEnd = "error"
    expect(terminalEvents(await streamText(claudeModel))).toEqual(["error"])
    testbed.anthropic.streamEnd = "missing"
    expect(terminalEvents(await streamText(claudeModel))).toEqual(["error"])
  })

  it("does not occur if only the end marker is missing", async () => {
    const finished = '{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}'
    testbed.openai.injectFault(
      { kind: "last_words", after: 0, frame: `data: ${finished}\n\n` },
      { on: /completions/ },
    )
    expect(terminalEvents(await streamText(chatModel))).toEqual(["message_stop"])
  })
})
