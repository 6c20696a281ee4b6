import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { saveFunction } from "../functions/function-client.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const dataDir = mkdtempSync(join(tmpdir(), "portico-"))
let upstream: FakeOpenAI
let server: TestGatewayProcess

const singleResponseFunction = `export const name = "Whole"
export async function reply({ messages }, context) {
  const { choices } = await context.chat({ model: "gpt-fake", messages })
  return choices[0].message.content
}`
const streamingFunction = `export const name = "Streamed"
export async function* reply({ messages }, context) {
  for await (const { content } of context.chat({ model: "gpt-fake", messages, stream: true })) {
    yield content ?? ""
  }
}`

beforeAll(async () => {
  upstream = await startFakeOpenAI()
  server = await startTestGatewayProcess({ OPENAI_API_BASE_URLS: upstream.url, DATA_DIR: dataDir })
  await saveFunction(server, "whole", singleResponseFunction)
  await saveFunction(server, "streamed", streamingFunction)
  await waitForModels(server, ["gpt-fake", "whole", "streamed"])
})
afterAll(async () => {
  killAllGateways()
  await server.exited
  rmSync(dataDir, { recursive: true })
  await upstream.close()
})

const sendChat = (model: string) =>
  server.call("POST", "/v1/chat/completions", {
    model,
    messages: [{ role: "user", content: "hi" }],
  })

const event = (content: string, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`
const stream = { "content-type": "text/event-stream" }

it("converts an unrequested stream for a function that requested a single response", async () => {
  const body = `${event("as ")}${event("one", "stop")}data: [DONE]\n\n`
  upstream.injectFault({ kind: "reply", headers: stream, body }, { on: /chat/ })
  const { status, body: reply } = await sendChat("whole")
  expect(reply.choices?.[0].message.content).toBe("as one")
  expect(status).toBe(200)
  expect(server.child.exitCode).toBeNull()
})

it("ignores invalid data after the end of a function's stream", async () => {
  const body = `${event("fine", "stop")}data: [DONE]\n\ndata: {oops\n\n`
  upstream.injectFault({ kind: "reply", headers: stream, body }, { on: /chat/ })
  const { body: reply } = await sendChat("streamed")
  expect(reply.choices?.[0].message.content).toBe("fine")
  expect(server.child.exitCode).toBeNull()
})

it.each([
  ["null", "null"],
  ["a list", "[]"],
  ["deep nesting", `{"choices":[{"message":${"[".repeat(100_000)}${"]".repeat(100_000)}}]}`],
])("fails a function's request whose response is %s, and keeps running", async (_what, body) => {
  upstream.injectFault({ kind: "reply", body }, { on: /chat/ })
  const { status, body: reply } = await sendChat("whole")
  expect(status).toBe(502)
  expect(reply.error.message).toMatch(/failed/)
  expect((await sendChat("whole")).status).toBe(200)
  expect(server.child.exitCode).toBeNull()
})
