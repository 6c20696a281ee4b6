import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { waitFor } from "../harness/usage-records.ts"
import {
  chatModel,
  type ResponsesTestbed,
  startResponsesTestbed,
} from "../responses/responses-testbed.ts"

let testbed: ResponsesTestbed

beforeAll(async () => {
  testbed = await startResponsesTestbed({
    SCIM_ENABLED: "true",
    SCIM_TOKEN: "the-token-of-the-test",
  })
  await testbed.gateway.call("POST", "/api/v1/settings", { enable_openai_proxy: true })
})
afterEach(() => testbed.reset())
afterAll(() => testbed.stop())

const long = "🐝".repeat(200_000)
const hello = { role: "user", content: "Hello" }
const weather = { type: "function", name: "weather", parameters: { type: "object" } }
const response = (members: object) => [
  "/v1/responses",
  { model: chatModel, input: "x", ...members },
]
const input = (...items: object[]) => response({ input: [hello, ...items] })
const message = (members: object) => [
  "/v1/messages",
  { model: chatModel, max_tokens: 10, messages: [hello], ...members },
]
const block = (fields: object) => message({ messages: [{ role: "user", content: [fields] }] })

const requests: [what: string, request: unknown[]][] = [
  ["the id of an item", input({ type: "item_reference", id: long })],
  ["the type of an item", input({ type: long })],
  ["the type of a part", input({ role: "user", content: [{ type: long }] })],
  ["the type of a tool", response({ tools: [{ type: long, name: "x" }] })],
  ["the name of a tool", response({ tools: [{ type: "x", name: long }] })],
  ["the type of a tool choice", response({ tools: [weather], tool_choice: { type: long } })],
  ["the id of a response", response({ previous_response_id: long })],
  ["a role", message({ messages: [{ role: long, content: "x" }] })],
  ["the type of a block", block({ type: long })],
  ["the type of a source", block({ type: "image", source: { type: long } })],
  ["the type of Anthropic's tool", message({ tools: [{ type: long, name: long }] })],
  ["quotes in a type", block({ type: '"x'.repeat(200_000) })],
  ["a model", ["/v1/chat/completions", { model: long, messages: [hello] }]],
  [
    "quotes and control characters",
    ["/api/v1/models/model/delete", { id: '""\u0001'.repeat(70_000) }],
  ],
  [
    "many fields",
    ["/api/v1/chats/new", { tags: Array.from({ length: 20_000 }, () => long.slice(0, 60)) }],
  ],
  ["a repeated field", ["/v1/chat/completions", `{"${long}":1,"${long}":2}`]],
  ["a field of a user", ["/api/v1/auths/add", { [long]: long, role: long }]],
  ["a user's name in SCIM", ["/api/v1/scim/v2/Users", { schemas: [long], userName: long }]],
]

/** Control characters of ASCII, and of Latin-1, which JSON does not escape. */
const controls = "\u001b[31m\u0007\u009b31m"
const encoded = encodeURIComponent(`${controls}${"é".repeat(900)}`)
const controlCharacters = /[^\P{Cc}\n\t]/u

/** In the format of any API. */
const messageOf = (body: Record<string, unknown>): string => {
  const { error, detail } = body
  if (typeof detail === "string") return detail
  return typeof error === "string" ? error : String(Object(error).message)
}

const longPaths = [
  ...["/v1/none/", "/xx/", "/assets/", "/v1/messages/", "/openai/", "/ollama/", "/v1/models/"],
  ...["/api/v1/chats/", "/api/v1/users/", "/api/v1/models/model?id=", "/api/v1/users?order_by="],
  ...["/api/v1/scim/v2/", "/api/v1/scim/v2/Users/", "/api/v1/scim/v2/Users?filter="],
]
const nativeModels: [path: string, body: object][] = [
  ["/openai/chat/completions", { model: `${controls}${"x".repeat(2000)}` }],
  ["/v1/chat/completions", { model: `${controls}${"x".repeat(200)}`, messages: [hello] }],
]

describe("a long value with control characters", () => {
  const expectCleanText = async (path: string, body?: object) => {
    const { gateway } = testbed
    const options = path.includes("scim") ? { key: "the-token-of-the-test" } : {}
    const answer = await gateway.call(body ? "POST" : "GET", path, body, options)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    const id = answer.headers.get("x-request-id")
    const findLine = () => gateway.logLines.find(({ request_id }) => request_id === id)
    await waitFor(() => findLine() !== undefined)
    const logged = Object.values(findLine() ?? {}).map(String)
    const texts = [...logged, messageOf(answer.body)]
    for (const text of texts) {
      expect(text).not.toMatch(controlCharacters)
      expect(text).not.toMatch(/(%C3%A9){67}|é{201}|x{201}/)
    }
  }

  it.each(longPaths)("is shortened and cleaned in the path %s", (path) =>
    expectCleanText(`${path}${encoded}`),
  )
  it.each(nativeModels)("is shortened and cleaned in a model of %s", (path, body) =>
    expectCleanText(path, body),
  )
})

describe("an error message", () => {
  it.each(requests)("is short, and so is its log line: %s", async (_what, [path, body]) => {
    const { gateway } = testbed
    const isScim = String(path).includes("scim")
    const options = isScim ? { key: "the-token-of-the-test" } : {}
    const before = gateway.logLines.length
    const { status, body: answer } = await gateway.call("POST", String(path), body, options)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    const text = JSON.stringify(answer)
    expect(text.length).toBeLessThan(4096)
    expect(text.isWellFormed()).toBe(true)
    await waitFor(() => gateway.logLines.length > before)
    for (const line of gateway.logLines.slice(before))
      expect(JSON.stringify(line).length).toBeLessThan(4096)
  })
})
