import {
  type APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "openai"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { Fault } from "../fakes/faults.ts"
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
  testbed = await startResponsesTestbed()
})
afterEach(() => testbed.reset())
afterAll(() => testbed.stop())

const requestTo = (model: string) => ({ model, input: "One two three four five" })
const catchError = (promise: Promise<unknown>): Promise<APIError> =>
  promise.then(
    () => Promise.reject(new Error("The request succeeded")),
    (error) => error,
  )

const upstreamOf = (model: string) => {
  if (model === chatModel) return testbed.chat
  return model === claudeModel ? testbed.anthropic : testbed.openai
}
const injectFault = (model: string, fault: Fault, times = 1) => {
  const on = model === chatModel ? /completions/ : /messages|responses/
  upstreamOf(model).injectFault(fault, { on, times })
}

describe("an error before the response", () => {
  it("of authentication", async () => {
    const client = testbed.createClient("sk-wrong")
    const error = await catchError(client.responses.create(requestTo(chatModel)))
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error.type).toBe("authentication_error")
  })

  it("for a model that does not exist or is not granted", async () => {
    await testbed.gateway.call("POST", "/api/v1/connections/create", {
      ...{ kind: "openai", name: "Closed", base_url: testbed.openai.url },
      ...{ id_prefix: "closed", access_grants: [] },
    })
    await waitForModels(testbed.gateway, ["closed.gpt-fake"])
    const { key } = await testbed.gateway.createUser("Grace")
    for (const model of ["unknown", "closed.gpt-fake"]) {
      const error = await catchError(testbed.createClient(key).responses.create(requestTo(model)))
      expect(error).toBeInstanceOf(NotFoundError)
      expect(error.message).toContain(model)
    }
    const { body } = await testbed.gateway.call("POST", "/api/v1/auths/api_keys", {
      ...{ name: "limited", allowed_models: [claudeModel] },
    })
    const client = testbed.createClient(body.api_key)
    const error = await catchError(client.responses.create(requestTo(chatModel)))
    expect(error).toBeInstanceOf(PermissionDeniedError)
  })

  it.each([
    [400, BadRequestError, "context_length_exceeded"],
    [404, NotFoundError, "model_not_found"],
    [429, RateLimitError, "rate_limit_exceeded"],
    [429, RateLimitError, "insufficient_quota"],
    [500, InternalServerError, "server_error"],
    [503, InternalServerError, "server_is_overloaded"],
  ])("of the provider keeps its status %d: %o, %s", async (status, type, code) => {
    const body = { error: { message: "No.", type: "some_error", code } }
    const headers = { "retry-after": "7" }
    for (const model of [chatModel, nativeModel]) {
      for (const stream of [false, true]) {
        injectFault(model, { kind: "status", status, body, headers })
        const error = await catchError(
          testbed.client.responses.create({ ...requestTo(model), stream }),
        )
        expect(error).toBeInstanceOf(type)
        expect([error.code, error.status]).toEqual([code, status])
        expect(error.message).toContain("No.")
        expect(error.headers?.get("retry-after")).toBe("7")
      }
    }
  })

  it("of Anthropic has OpenAI's format", async () => {
    const error = { type: "rate_limit_error", message: "Slow down." }
    const headers = { "retry-after": "7" }
    const body = { type: "error", error }
    injectFault(claudeModel, { kind: "status", status: 429, body, headers })
    const found = await catchError(testbed.client.responses.create(requestTo(claudeModel)))
    expect(found).toBeInstanceOf(RateLimitError)
    expect(found.error).toMatchObject({ message: "Slow down.", type: "rate_limit_error" })
    expect(found.headers?.get("retry-after")).toBe("7")
  })

  it.each<[string, Fault, number]>([
    ["cannot be reached", { kind: "reset" }, 502],
    ["responds with a web page", { kind: "html" }, 500],
    ["responds with something else", { kind: "reply", body: '{"choices":[]}' }, 502],
  ])("of a provider that %s", async (_what, fault, status) => {
    injectFault(chatModel, fault)
    const error = await catchError(testbed.client.responses.create(requestTo(chatModel)))
    expect(error.status).toBe(status)
    expect(error.type).toBe("server_error")
  })
})

const stream = async (model: string, store: boolean) =>
  readEvents((await testbed.send({ ...requestTo(model), store, stream: true })).text)

const cases = [chatModel, claudeModel, nativeModel].flatMap((model) =>
  [true, false].map((store) => ({ model, store })),
)

describe.each(cases)("an error within a stream of $model (store: $store)", ({ model, store }) => {
  it.each([
    ["reset", false],
    ["reset", true],
    ["close", true],
    ["end", false],
    ["end", true],
  ] as const)("is the last event if the provider stops: by %s, torn: %s", async (by, torn) => {
    injectFault(model, { kind: "break", after: 5, by, torn })
    const events = await stream(model, store)
    expect(terminalTypes(events)).toEqual(["response.failed"])
    const [created, , ...rest] = events
    expect(rest.at(-1)).toMatchObject({
      response: {
        ...{ id: Object(created?.response).id, status: "failed", output: [] },
        error: { code: "server_error", message: expect.stringMatching(/provider|connection/i) },
      },
    })
    expect(rest.map(({ type }) => type)).toContain("response.output_text.delta")
  })

  it("is readable by the SDK", async () => {
    injectFault(model, { kind: "break", after: 5, torn: true })
    const params = { ...requestTo(model), store }
    const response = await testbed.client.responses.stream(params).finalResponse()
    expect(response).toMatchObject({ status: "failed", error: { code: "server_error" } })
    await expect(testbed.client.responses.retrieve(response.id)).rejects.toMatchObject({
      status: 404,
    })
  })

  it("that comes first is an event too", async () => {
    injectFault(model, { kind: "break", after: 0, by: "end" })
    const events = await stream(model, store)
    const isConverted = model !== nativeModel
    expect(terminalTypes(events)).toEqual([isConverted ? "response.failed" : "error"])
  })
})

describe("an error that the provider reports within a stream", () => {
  it.each([true, false])("of chat completions ends it (store: %s)", async (store) => {
    const frame = 'data: {"error":{"message":"Out of memory","code":429}}\n\n'
    injectFault(chatModel, { kind: "last_words", after: 3, frame })
    const events = await stream(chatModel, store)
    expect(terminalTypes(events)).toEqual(["response.failed"])
    const error = { code: "rate_limit_exceeded", message: "Out of memory" }
    expect(events.at(-1)).toMatchObject({ response: { status: "failed", error } })
  })

  it("of Anthropic ends it", async () => {
    testbed.anthropic.streamEnd = "error"
    const events = await stream(claudeModel, true)
    expect(terminalTypes(events)).toEqual(["response.failed"])
    expect(events.at(-1)).toMatchObject({ response: { error: { message: "Overloaded" } } })
  })

  it.each([true, false])("of OpenAI is repeated in the last event (store: %s)", async (store) => {
    const error = { type: "error", sequence_number: 5, code: "insufficient_quota", message: "No." }
    const frame = `event: error\ndata: ${JSON.stringify(error)}\n\n`
    injectFault(nativeModel, { kind: "last_words", after: 5, frame })
    const events = await stream(nativeModel, store)
    expect(events.at(-2)).toEqual(error)
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "insufficient_quota", message: "No." } },
    })
  })

  it("does not follow a complete response", async () => {
    for (const store of [true, false]) {
      const input = "One two"
      injectFault(nativeModel, { kind: "break", after: 12, by: "close" })
      const { text } = await testbed.send({ model: nativeModel, input, store, stream: true })
      expect(terminalTypes(readEvents(text)).length).toBe(1)
    }
  })
})
