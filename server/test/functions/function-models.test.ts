import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createChatClient } from "../conversations/chat-client.ts"
import { collectItems } from "../fakes/collect.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { maxDelayMs } from "../harness/timing.ts"
import { waitForUsageRecords } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { completionText, fetchLastRun, requestCompletion, saveFunction } from "./function-client.ts"

const echo = `export const name = "Echo"
export async function* reply({ messages }, context) {
  context.log("asked", messages.length)
  for (const word of ("You said: " + messages.at(-1).content).split(" ")) {
    yield word + " "
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
`

let upstream: FakeOpenAI
let gateway: TestGateway
let user: Awaited<ReturnType<TestGateway["createUser"]>>

beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake", "gpt-secret", "embed-fake"] })
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url })
  await waitForModels(gateway, ["gpt-fake"])
  user = await gateway.createUser("Grace")
  await saveFunction(gateway, "echo", echo)
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const save = (id: string, content: string, fields?: object) =>
  saveFunction(gateway, id, content, fields)
const ask = (model: string, fields?: Parameters<typeof requestCompletion>[2]) =>
  requestCompletion(gateway, model, { key: user.key, ...fields })

describe.each(["/v1", "/api", "/api/v1"])("the openai SDK at base%s", (prefix) => {
  const client = () =>
    new OpenAI({ baseURL: gateway.url + prefix, apiKey: user.key, maxRetries: 0 })
  const hello = { model: "echo", messages: [{ role: "user" as const, content: "hello there" }] }

  it("streams from a function and reads its usage", async () => {
    const params = { ...hello, stream: true, stream_options: { include_usage: true } } as const
    const { data, response } = await client().chat.completions.create(params).withResponse()
    const chunks = await collectItems(data)
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")
    expect(text).toBe("You said: hello there ")
    expect(chunks.length).toBeGreaterThan(4)
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop")
    expect(chunks.at(-1)?.usage?.completion_tokens).toBeGreaterThan(3)
    const [record] = await waitForUsageRecords(gateway, response.headers.get("x-request-id") ?? "")
    expect(record).toMatchObject({ model: "echo", outcome: "ok", streamed: 1, estimated: 1 })
    expect(record?.user_id).toBe(user.id)
  })

  it("receives usage only if requested", async () => {
    const chunks = await collectItems(
      await client().chat.completions.create({ ...hello, stream: true }),
    )
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true)
  })

  it("receives a complete reply, and finds the model in the list", async () => {
    const { choices, usage } = await client().chat.completions.create(hello)
    expect(choices[0]?.message.content).toBe("You said: hello there ")
    expect(usage?.total_tokens).toBeGreaterThan(0)
    const model = await client().models.retrieve("echo")
    expect(model).toMatchObject({ owned_by: "function", connection_type: "function" })
  })
})

describe("a function's model", () => {
  it("starts every run with fresh globals, random numbers and clock", async () => {
    await saveFunction(
      gateway,
      "anew",
      `let kept = "x".repeat(1e5)
      export const reply = () => {
        const seen = [globalThis.left ?? "nothing", Math.random(), performance.now()]
        globalThis.left = kept
        return JSON.stringify(seen)
      }`,
    )
    const seen = []
    for (let turn = 0; turn < 8; turn++) {
      const [leftover, random, age] = JSON.parse(
        completionText(await requestCompletion(gateway, "anew")),
      )
      expect(leftover).toBe("nothing")
      // The clock starts with the run, not with the process.
      expect(age).toBeLessThan(maxDelayMs)
      seen.push(random)
    }
    expect(new Set(seen).size).toBe(8)
    expect(seen.every((random) => random >= 0 && random < 1)).toBe(true)
  })

  it("answers in a conversation", async () => {
    const grace = createChatClient(gateway, user.key)
    const id = await grace.createChat({ models: ["echo"] })
    const [, answer] = await grace.sendMessage(id, { content: "good morning" })
    expect(answer).toMatchObject({ state: "completed", content: "You said: good morning " })
  })

  it("may return a string or a complete response, or be a synchronous generator", async () => {
    await save("text", "export const reply = () => 'plain'")
    await save("gives", "export function* reply() { yield 'a'; yield { content: 'b' } }")
    const message = "{ role: 'assistant', content: 'made' }"
    const usage = "{ prompt_tokens: 7, completion_tokens: 9 }"
    await save(
      "whole",
      `export const reply = async () => ({ choices: [{ message: ${message},
      finish_reason: "length" }], usage: ${usage} })`,
    )
    expect(completionText(await ask("text"))).toBe("plain")
    expect(completionText(await ask("gives"))).toBe("ab")
    const { body, headers } = await ask("whole")
    expect(body.choices[0]).toMatchObject({ message: { content: "made" }, finish_reason: "length" })
    expect(body.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 })
    const [record] = await waitForUsageRecords(gateway, headers.get("x-request-id") ?? "")
    expect(record).toMatchObject({ tokens_in: 7, tokens_out: 9, estimated: 0 })
    expect(String((await ask("whole", { stream: true })).body)).toContain('"content":"made"')
  })

  it("may forward to another model, whose reply is streamed through", async () => {
    await save("router", "export const reply = (request) => ({ ...request, model: 'gpt-fake' })")
    expect(completionText(await ask("router"))).toBe("You said: hello there")
    const streamed = await ask("router", { stream: true })
    expect(String(streamed.body)).toContain('"model":"gpt-fake"')
    expect(String(streamed.body).trimEnd()).toMatch(/data: \[DONE\]$/)
    expect(String(streamed.body)).not.toContain('"usage":{')
    const records = await waitForUsageRecords(gateway, streamed.headers.get("x-request-id") ?? "")
    expect(records.map(({ model }) => model).sort()).toEqual(["gpt-fake", "router"])
  })

  it("may be one of several that the function declares", async () => {
    await save(
      "pair",
      `export const models = [{ id: "one" }, { id: "two", name: "Two" }]
      export const reply = (request, { model }) => model.id + " " + model.name`,
    )
    expect(completionText(await ask("pair.one"))).toBe("pair.one one")
    expect(completionText(await ask("pair.two"))).toBe("pair.two two")
    expect((await ask("pair")).status).toBe(404)
  })

  it("may cite sources, with and without streaming", async () => {
    await save(
      "cites",
      `export async function* reply() {
      yield { sources: [{ source: { id: "f", name: "a.md", type: "file" }, document: ["word"],
        metadata: [{}], distances: [0] }] }
      yield "As it says [1]."
    }`,
    )
    expect((await ask("cites")).body.sources[0].source.name).toBe("a.md")
    const text = String((await ask("cites", { stream: true })).body)
    expect(text).toMatch(/"choices":\[\],"sources":\[/)
  })

  it("may be the base of a workspace model", async () => {
    const created = await gateway.call(
      "POST",
      "/api/v1/models/create",
      { id: "polite", name: "Polite", base_model_id: "echo", params: { system: "Be polite." } },
      { key: user.key },
    )
    expect(created.status).toBe(200)
    expect(completionText(await ask("polite"))).toBe("You said: hello there ")
    const { body } = await gateway.call("GET", "/v1/models/polite", undefined, { key: user.key })
    expect(body).toMatchObject({ owned_by: "function", base_model_id: "echo" })
  })

  it("takes precedence over a connection's model of the same id, but not over a workspace model", async () => {
    await save("twin", "export const reply = () => 'of the function'")
    await gateway.call("POST", "/api/v1/models/create", {
      id: "twin",
      name: "Twin",
      base_model_id: "gpt-fake",
      access_grants: [{ principal_type: "user", principal_id: "*", permission: "read" }],
    })
    expect(completionText(await ask("twin"))).toBe("You said: hello there")
    await gateway.call("POST", "/api/v1/models/model/delete", { id: "twin" })
    expect(completionText(await ask("twin"))).toBe("of the function")
  })

  it("is available only to users with a grant", async () => {
    await save("private", echo, { access_grants: [] })
    expect((await ask("private")).status).toBe(404)
    const { body } = await gateway.call("GET", "/v1/models", undefined, { key: user.key })
    expect(body.data.map(({ id }: { id: string }) => id)).not.toContain("private")
    expect((await requestCompletion(gateway, "private")).status).toBe(200)
    const grant = [{ principal_type: "user", principal_id: user.id, permission: "read" }]
    await gateway.call("POST", "/api/v1/functions/id/private/update", { access_grants: grant })
    expect((await ask("private")).status).toBe(200)
    await gateway.call("POST", "/api/v1/functions/id/private/toggle")
    expect((await ask("private")).status).toBe(404)
  })

  it("supports chat completions only", async () => {
    const { status, body } = await gateway.call("POST", "/v1/embeddings", {
      model: "echo",
      input: "text",
    })
    expect(status).toBe(400)
    expect(body.error.message).toMatch(/function/)
  })

  it("changes as soon as the function is saved", async () => {
    await save("changes", "export const reply = () => 'first'")
    expect(completionText(await ask("changes"))).toBe("first")
    await save("changes", "export const reply = () => 'second'")
    expect(completionText(await ask("changes"))).toBe("second")
  })

  it("keeps its 50 most recent runs with their logs", async () => {
    await ask("echo")
    expect(await fetchLastRun(gateway, "echo")).toMatchObject({
      outcome: "ok",
      task: "echo",
      user_id: user.id,
      log: [{ level: "info", text: "asked 1", line: 3 }],
    })
    const { body: listed } = await gateway.call("GET", "/api/v1/functions/")
    const echo = listed.items.find(({ id }: { id: string }) => id === "echo")
    expect(echo.last_run).toEqual({ outcome: "ok", created_at: expect.any(Number) })
    for (let count = 0; count < 60; count++) await ask("text")
    const { body } = await gateway.call("GET", "/api/v1/functions/id/text/runs")
    expect(body.total).toBe(50)
  })
})

describe("a failing function", () => {
  it("is reported with its line even when the error is thrown outside any awaited code", async () => {
    await saveFunction(
      gateway,
      "late",
      `export const reply = () =>
        new Promise(() => setTimeout(() => {
          throw new TypeError("too late")
        }, 5))`,
    )
    const { status, body } = await requestCompletion(gateway, "late")
    expect(status).toBe(502)
    expect(body.error.message).toMatch(/TypeError: too late.*line 3/)
  })

  const throwing = `export async function* reply(request) {
  if (request.late) yield "so far"
  const nothing = null
  yield nothing.at
}`

  it("returns 502 with the reason and line if nothing was sent yet", async () => {
    await save("throws", throwing)
    for (const stream of [true, false]) {
      const { status, body } = await ask("throws", { stream })
      expect(status).toBe(502)
      expect(body.error).toMatchObject({ code: "function_failed" })
      expect(body.error.message).toMatch(/TypeError.*line 4/)
    }
    expect(await fetchLastRun(gateway, "throws")).toMatchObject({ outcome: "threw", line: 4 })
  })

  it("ends a started stream with an error event and without [DONE]", async () => {
    await save("throws", throwing)
    const { status, body, headers } = await ask("throws", { stream: true, late: true })
    expect(status).toBe(200)
    expect(body).toContain('"content":"so far"')
    expect(body.trimEnd()).toMatch(/data: \{"error":.*function_failed.*\}$/)
    expect(body).not.toContain("[DONE]")
    const [record] = await waitForUsageRecords(gateway, headers.get("x-request-id") ?? "")
    expect(record).toMatchObject({ outcome: "upstream_error", model: "throws" })
  })

  it("refuses a request with its own message", async () => {
    await save("refuses", "export const reply = (r, context) => context.refuse('Not on Sundays.')")
    const { status, body } = await ask("refuses")
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: "function_refused", message: "Not on Sundays." })
  })

  it("reports which required settings are missing", async () => {
    await save(
      "needs",
      `export const settings = { key: { type: "secret", required: true } }
      export const reply = (request, { settings }) => settings.key.length + " characters"`,
    )
    expect((await ask("needs")).body.error.message).toMatch(/settings are missing: key/)
    const values = { key: "twelve chars" }
    await gateway.call("POST", "/api/v1/functions/id/needs/valves", { values })
    expect(completionText(await ask("needs"))).toBe("12 characters")
  })

  it("is stopped when its client disconnects", async () => {
    await save(
      "endless",
      `export async function* reply(request, context) {
      for (;;) { yield "on "; await new Promise((resolve) => setTimeout(resolve, 5)) }
    }`,
    )
    const disconnect = new AbortController()
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.key}`, "x-request-id": "left-function" },
      body: JSON.stringify({
        model: "endless",
        messages: [{ role: "user", content: "x" }],
        stream: true,
      }),
      signal: disconnect.signal,
    })
    await response.body?.getReader().read()
    disconnect.abort()
    const [record] = await waitForUsageRecords(gateway, "left-function")
    expect(record).toMatchObject({ outcome: "client_cancelled", estimated: 1 })
    await expect
      .poll(async () => (await fetchLastRun(gateway, "endless"))?.outcome)
      .toBe("cancelled")
  })
})
