import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { readUsageRecords, waitFor } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { completionText, requestCompletion, runTrial, saveFunction } from "./function-client.ts"

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
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const save = (id: string, content: string, fields?: object) =>
  saveFunction(gateway, id, content, fields)
const ask = (model: string, fields?: Parameters<typeof requestCompletion>[2]) =>
  requestCompletion(gateway, model, { key: user.key, ...fields })

describe("a function's context", () => {
  it("requests completions and embeddings from other models and charges them to the caller", async () => {
    await save(
      "asks",
      `export async function* reply({ messages }, context) {
      const whole = await context.chat({ model: "gpt-fake", messages })
      yield whole.choices[0].message.content + " | "
      for await (const delta of context.chat({ model: "gpt-fake", messages, stream: true })) {
        yield delta.content ?? ""
      }
      const { data } = await context.embed({ model: "embed-fake", input: "word" })
      yield " | " + (data[0].embedding.length > 0)
    }`,
    )
    const { body, headers } = await ask("asks")
    expect(completionText({ body })).toBe("You said: hello there | You said: hello there | true")
    const records = await waitFor(async () => {
      const all = await readUsageRecords(gateway)
      const own = all.filter((one) => one.request_id === headers.get("x-request-id"))
      return own.length === 4 ? own : null
    })
    expect(records.map(({ model }) => model).sort()).toEqual([
      ...["asks", "embed-fake", "gpt-fake", "gpt-fake"],
    ])
    expect(new Set(records.map(({ user_id }) => user_id))).toEqual(new Set([user.id]))
  })

  it("provides settings, user, model and the documented globals, and no others", async () => {
    await save(
      "tells",
      `export const settings = { tone: { default: "dry" } }
      export const reply = async (request, context) => {
        const address = new URL("/b?x=1#y", "https://example.com:8443/a")
        address.searchParams.set("q", "ü&")
        const bytes = new TextEncoder().encode("ü€")
        return JSON.stringify([context.user.name, context.settings, context.model.id, address.href,
          address.hostname, bytes.length, new TextDecoder().decode(bytes), typeof Intl,
          typeof process, typeof require, typeof fetch, context.signal.aborted])
      }`,
    )
    expect(JSON.parse(completionText(await ask("tells")))).toEqual([
      "Grace",
      { tone: "dry" },
      "tells",
      "https://example.com:8443/b?x=1&q=%C3%BC%26#y",
      "example.com",
      5,
      "ü€",
      "undefined",
      "undefined",
      "undefined",
      "undefined",
      false,
    ])
  })

  it("keeps stored values between runs, separately for each function", async () => {
    const counts = `export const reply = async (request, { store }) => {
      const count = (await store.get("count") ?? 0) + 1
      await store.set("count", count)
      await store.set("other", { deep: [1] })
      return count + " " + JSON.stringify(await store.keys()) + JSON.stringify(await store.get("other"))
    }`
    await save("counts", counts)
    await save("counts_too", counts)
    const expected = (count: number) => `${count} ["count","other"]{"deep":[1]}`
    expect(completionText(await ask("counts"))).toBe(expected(1))
    expect(completionText(await ask("counts"))).toBe(expected(2))
    expect(completionText(await ask("counts_too"))).toBe(expected(1))
  })

  it("limits the size of a stored value", async () => {
    await save(
      "hoards",
      `export const reply = async (request, { store }) => {
      try { await store.set("big", "x".repeat(100_000)) } catch (error) { return error.message }
    }`,
    )
    expect(completionText(await ask("hoards"))).toMatch(/64 KB/)
  })

  it("limits how deeply functions may call each other", async () => {
    await save(
      "calls_itself",
      `export const reply = async ({ messages }, context) => {
      const deeper = await context.chat({ model: "calls_itself", messages })
      return deeper.choices[0].message.content
    }`,
    )
    const { status, body } = await ask("calls_itself")
    expect(status).toBe(502)
    expect(body.error.message).toMatch(/more than 4 levels deep/)
  })
})

describe("a trial run", () => {
  it("streams the reply, log and resource usage of unsaved code", async () => {
    const { events, text, eventsNamed, result } = await runTrial(gateway, "new_one", {
      content: echo,
      request: { messages: [{ role: "user", content: "try me" }] },
    })
    expect(events[0]).toMatchObject({ name: "started", data: { models: ["new_one"] } })
    expect(text).toBe("You said: try me ")
    expect(eventsNamed("log")[0]?.data).toMatchObject({ text: "asked 1", line: 3, level: "info" })
    expect(events.at(-1)?.name).toBe("result")
    expect(result).toMatchObject({ outcome: "ok", message: null })
    expect(result.memory_bytes).toBeGreaterThan(100_000)
    expect(result.duration_ms).toBeGreaterThanOrEqual(result.first_output_ms)
    expect((await gateway.call("GET", "/api/v1/functions/id/new_one")).status).toBe(404)
  })

  it("reports errors with line numbers of the original source", async () => {
    const content = "export const reply = (request: object): string => {\n  return request.a.b\n}"
    const { result } = await runTrial(gateway, "echo", { content, request: { messages: [] } })
    expect(result).toMatchObject({ outcome: "threw", line: 2 })
    const broken = { content: "export const = 1", request: { messages: [] } }
    const refused = await gateway.call("POST", "/api/v1/functions/id/echo/run", broken)
    expect(refused.body.errors).toEqual([expect.objectContaining({ line: 1, column: 14 })])
  })

  it("applies a filter to both the request and a sample reply", async () => {
    const content = `export const before = (request) => ({ ...request, temperature: 0 })
export const chunk = (delta) => delta.last ? { content: "!" } : { content: delta.content.toUpperCase() }`
    const request = { messages: [{ role: "user", content: "x" }] }
    const trial = { content, request, reply: "two words" }
    const { eventsNamed, text } = await runTrial(gateway, "shouts", trial)
    expect(eventsNamed("request")[0]?.data.request).toMatchObject({ temperature: 0 })
    expect(text).toBe("TWO WORDS!")
  })

  it("completes a request forwarded to another model", async () => {
    const content = "export const reply = (request) => ({ ...request, model: 'gpt-fake' })"
    const request = { messages: [{ role: "user", content: "over to you" }] }
    const { text, result } = await runTrial(gateway, "hands", { content, request })
    expect(text).toBe("You said: over to you")
    expect(result.outcome).toBe("ok")
  })

  it("is restricted to administrators", async () => {
    const trial = { content: echo, request: { messages: [] } }
    const options = { key: user.key }
    const { status } = await gateway.call("POST", "/api/v1/functions/id/echo/run", trial, options)
    expect(status).toBe(403)
  })
})
