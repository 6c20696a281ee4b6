import OpenAI, {
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "openai"
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { collectItems } from "../fakes/collect.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForUsageRecords } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const modelWithSlash = "org/family-7b:latest"
const hello = { model: "gpt-fake", messages: [{ role: "user" as const, content: "hello there" }] }
const weather = {
  type: "function" as const,
  function: {
    name: "weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
}

let upstream: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startFakeOpenAI({
    apiKey: "up-key",
    models: ["gpt-fake", "gpt-reason-fake", "embed-fake", modelWithSlash],
  })
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url, OPENAI_API_KEYS: "up-key" })
  await waitForModels(gateway, [modelWithSlash])
})
afterEach(() => upstream.clearFaults())
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const lastRequest = () => upstream.requests.at(-1)

describe.each(["/v1", "/api", "/api/v1"])("the openai SDK at base%s", (prefix) => {
  const connect = (apiKey = adminKey) =>
    new OpenAI({ baseURL: gateway.url + prefix, apiKey, maxRetries: 0 })
  const refusal = (pendingRequest: Promise<unknown>) =>
    pendingRequest.then(
      () => undefined,
      (error: unknown) => error,
    )

  it("lists models and retrieves one, even with slashes and colons in its ID", async () => {
    const client = connect()
    const ids = (await client.models.list()).data.map(({ id }) => id)
    expect(ids).toEqual(["gpt-fake", "gpt-reason-fake", "embed-fake", modelWithSlash])
    expect(await client.models.retrieve(modelWithSlash)).toMatchObject({
      id: modelWithSlash,
      object: "model",
    })
    const unencoded = await gateway.call("GET", `${prefix}/models/${modelWithSlash}`)
    expect(unencoded.body).toMatchObject({ id: modelWithSlash, owned_by: "openai" })
  })

  it("receives chat completions byte for byte as the provider sent them", async () => {
    const { data, response } = await connect().chat.completions.create(hello).withResponse()
    expect(data.choices[0]?.message.content).toBe("You said: hello there")
    expect(data.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 4 })
    expect(response.headers.get("x-request-id")).toBeTruthy()
    const raw = await gateway.call("POST", `${prefix}/chat/completions`, JSON.stringify(hello), {
      headers: { accept: "text/plain" },
    })
    expect(JSON.stringify(raw.body)).toBe(lastRequest()?.sent.body.toString())
    expect(lastRequest()?.body.toString()).toBe(JSON.stringify(hello))
  })

  it("receives streams without usage unless it was requested", async () => {
    const { data, response } = await connect()
      .chat.completions.create({ ...hello, stream: true })
      .withResponse()
    const chunks = await collectItems(data)
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")
    expect(text).toBe("You said: hello there")
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true)
    expect(lastRequest()?.json).toMatchObject({ stream_options: { include_usage: true } })
    const [record, ...more] = await waitForUsageRecords(
      gateway,
      response.headers.get("x-request-id") ?? "",
    )
    expect(more).toEqual([])
    expect(record).toMatchObject({ outcome: "ok", streamed: 1, estimated: 0 })
    expect(record).toMatchObject({ tokens_in: 5, tokens_out: 4, status: 200 })
  })

  it("receives streams with requested usage byte for byte", async () => {
    const requested = { ...hello, stream: true, stream_options: { include_usage: true } } as const
    const chunks = await collectItems(await connect().chat.completions.create(requested))
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 4 } })
    const { body, headers } = await gateway.call("POST", `${prefix}/chat/completions`, requested)
    expect(headers.get("content-type")).toMatch(/^text\/event-stream/)
    expect(body).toBe(lastRequest()?.sent.body.toString())
    expect(body.endsWith("data: [DONE]\n\n")).toBe(true)
    expect(lastRequest()?.body.toString()).toBe(JSON.stringify(requested))
  })

  it("sends tools, receives a tool call and returns its result", async () => {
    const client = connect()
    const first = await client.chat.completions.create({ ...hello, tools: [weather] })
    const message = first.choices[0]?.message
    const call = message?.tool_calls?.[0]
    expect(call).toMatchObject({ type: "function", function: { name: "weather" } })
    const messages: ChatCompletionMessageParam[] = [
      ...hello.messages,
      ...(message ? [message] : []),
      { role: "tool", tool_call_id: call?.id ?? "", content: "sunny" },
    ]
    const second = await client.chat.completions.create({ ...hello, messages, tools: [weather] })
    expect(second.choices[0]?.message.content).toBe("The tool said: sunny")
    expect(lastRequest()?.json).toEqual({ ...hello, messages, tools: [weather] })
  })

  it("receives a streamed tool call in pieces", async () => {
    const stream = connect().chat.completions.stream({ ...hello, tools: [weather] })
    const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0] ?? {}
    expect(finish_reason).toBe("tool_calls")
    expect(message?.tool_calls).toMatchObject([
      { function: { name: "weather", arguments: JSON.stringify({ city: "hello there" }) } },
    ])
  })

  it("sends and receives images, formats, logprobs and reasoning unchanged", async () => {
    const client = connect()
    const url = "data:image/png;base64,iVBORw0KGgo="
    const content = [
      { type: "text" as const, text: "look" },
      { type: "image_url" as const, image_url: { url, detail: "low" as const } },
    ]
    const requested = {
      model: "gpt-reason-fake",
      messages: [{ role: "user" as const, content }],
      response_format: { type: "json_object" as const },
      logprobs: true,
      top_logprobs: 1,
      reasoning_effort: "low" as const,
    }
    const { choices } = await client.chat.completions.create(requested)
    expect(lastRequest()?.body.toString()).toBe(JSON.stringify(requested))
    expect(JSON.parse(choices[0]?.message.content ?? "")).toHaveProperty("reply")
    expect(choices[0]?.logprobs?.content?.length).toBeGreaterThan(0)
    expect(choices[0]?.message).toHaveProperty("reasoning_content")
  })

  it("sends and receives unknown fields unchanged, in the caller's own formatting", async () => {
    const body = `{ "x_new":{"a":[1.0,1e400,"\\u00fc"]},\n\t"model":"gpt-fake" , "messages":[{"role":"developer","content":"hi","x":null}],"seed":12345678901234567890 }`
    const reply = await gateway.call("POST", `${prefix}/chat/completions`, body)
    expect(reply.status).toBe(200)
    expect(lastRequest()?.body.toString()).toBe(body)
    expect(reply.body.x_echo.x_new.a[2]).toBe("ü")
  })

  it("receives embeddings, completions and responses as the provider sent them", async () => {
    const client = connect()
    const { data } = await client.embeddings.create({ model: "embed-fake", input: ["one", "two"] })
    expect(data.map(({ embedding }) => embedding.length)).toEqual([64, 64])
    const completed = await client.completions.create({ model: "gpt-fake", prompt: "once" })
    expect(completed.choices[0]?.text).toBe("You said: once")
    const parts = await client.completions.create({
      model: "gpt-fake",
      prompt: "once",
      stream: true,
    })
    const chunks = await collectItems(parts)
    expect(chunks.map(({ choices }) => choices[0]?.text).join("")).toBe("You said: once")
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true)
    const requested = { model: "gpt-fake", input: "hello" }
    const { data: response, response: head } = await client.responses
      .create(requested)
      .withResponse()
    expect(response.output_text).toBe("You said: hello")
    const [record] = await waitForUsageRecords(gateway, head.headers.get("x-request-id") ?? "")
    expect(record).toMatchObject({ operation: "responses", outcome: "ok", estimated: 0 })
    const events = await client.responses.create({ ...requested, stream: true }).withResponse()
    expect((await collectItems(events.data)).at(-1)?.type).toBe("response.completed")
    const [streamed] = await waitForUsageRecords(
      gateway,
      events.response.headers.get("x-request-id") ?? "",
    )
    expect(streamed).toMatchObject({ outcome: "ok", estimated: 0, streamed: 1 })
  })

  it("receives a response of several megabytes completely, and its usage is recorded", async () => {
    const requested = { model: "embed-fake", input: "one two three", dimensions: 100_000 }
    const reply = await gateway.call("POST", `${prefix}/embeddings`, requested)
    expect(JSON.stringify(reply.body)).toBe(lastRequest()?.sent.body.toString())
    const [record] = await waitForUsageRecords(gateway, reply.headers.get("x-request-id") ?? "")
    expect(record).toMatchObject({ outcome: "ok", estimated: 0, tokens_in: 3, tokens_out: 0 })
  })

  it("aborts the request at the provider when the caller aborts", async () => {
    const arrived = upstream.nextRequest(/chat/)
    const stream = await connect().chat.completions.create({
      ...hello,
      stream: true,
      metadata: { fake_chunks: "50", fake_delay_ms: "50" },
    })
    for await (const _chunk of stream) break
    stream.controller.abort()
    expect(await (await arrived).aborted).toBeGreaterThan(0)
  })

  it("raises its own error classes", async () => {
    const client = connect()
    const chat = client.chat.completions
    expect(await refusal(connect("sk-wrong").models.list())).toBeInstanceOf(AuthenticationError)
    const unknown = await refusal(chat.create({ ...hello, model: "nope" }))
    expect(unknown).toBeInstanceOf(NotFoundError)
    expect(unknown).toMatchObject({ code: "model_not_found", param: "model", status: 404 })
    expect(await refusal(client.models.retrieve("no/pe"))).toBeInstanceOf(NotFoundError)
    const bare = await refusal(client.post("/chat/completions", { body: { model: "gpt-fake" } }))
    expect(bare).toBeInstanceOf(BadRequestError)
    expect(bare).toMatchObject({ param: "messages", code: "missing_parameter" })
    upstream.injectFault(
      { kind: "status", status: 429, body: slowDown, headers: { "retry-after": "7" } },
      { on: /chat/ },
    )
    const limited = await refusal(chat.create(hello))
    expect(limited).toBeInstanceOf(RateLimitError)
    expect(limited).toMatchObject({ code: "rate_limit_exceeded", error: slowDown.error })
    expect(limited instanceof RateLimitError && limited.headers.get("retry-after")).toBe("7")
    upstream.injectFault({ kind: "html" }, { on: /chat/ })
    expect(await refusal(chat.create(hello))).toBeInstanceOf(InternalServerError)
  })

  it("is rejected if the key does not allow the request", async () => {
    const scope = { allowed_models: ["embed-fake"], name: "scoped" }
    const { body } = await gateway.call("POST", "/api/v1/auths/api_keys", scope)
    const client = connect(body.api_key)
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["embed-fake"])
    const denied = await refusal(client.chat.completions.create(hello))
    expect(denied).toBeInstanceOf(PermissionDeniedError)
    expect(await refusal(client.models.retrieve("gpt-fake"))).toBeInstanceOf(PermissionDeniedError)
    const routes = { allowed_routes: ["/v1/embeddings"], name: "embeds" }
    const embedder = await gateway.call("POST", "/api/v1/auths/api_keys", routes)
    const other = connect(embedder.body.api_key)
    await other.embeddings.create({ model: "embed-fake", input: "one" })
    const elsewhere = await refusal(other.chat.completions.create(hello))
    expect(elsewhere).toBeInstanceOf(PermissionDeniedError)
  })

  it.each([
    ["x-api-key", (key: string) => ({ "x-api-key": key })],
    ["the cookie", (key: string) => ({ cookie: `theme=dark; token=${key}` })],
  ])("may send the key in %s, which is not forwarded", async (_name, carry) => {
    const headers = { ...carry(adminKey), "openai-organization": "the-callers-own" }
    const reply = await gateway.call("POST", `${prefix}/chat/completions`, hello, {
      key: null,
      headers,
    })
    expect(reply.status).toBe(200)
    expect(JSON.stringify(lastRequest()?.headers)).not.toContain(adminKey)
    expect(lastRequest()?.headers["openai-organization"]).toBe(undefined)
    expect(lastRequest()?.headers.authorization).toBe("Bearer up-key")
  })
})

const slowDown = {
  error: { message: "Slow down", type: "requests", param: null, code: "rate_limit_exceeded" },
}
