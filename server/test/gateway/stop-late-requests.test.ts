import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"
import { waitForModels } from "../models/wait-for-models.ts"

// These tests start separate processes.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })

let folder: string
let upstream: FakeOpenAI
let gateway: TestGatewayProcess
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "portico-stop-"))
  upstream = await startFakeOpenAI()
  gateway = await startTestGatewayProcess({
    DATA_DIR: folder,
    DRAIN_TIMEOUT: "5s",
    OPENAI_API_BASE_URLS: upstream.url,
  })
  await waitForModels(gateway, ["gpt-fake"])
})
afterEach(async () => {
  killAllGateways()
  await upstream.close()
  rmSync(folder, { recursive: true, force: true })
})

const requestOf = (line: string, body = ""): string =>
  [
    ...[`${line} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${gateway.key}`],
    ...[`Content-Length: ${body.length}`, "", body],
  ].join("\r\n")

/**
 * Sends half of a request, stops the gateway, and sends the rest after the gateway has begun to stop.
 * @returns the response, once the gateway has exited
 */
const completeDuringShutdown = async (request: string): Promise<string> => {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  let answer = ""
  socket.on("error", () => {})
  socket.on("data", (bytes) => {
    answer += bytes
  })
  const half = request.length - 8
  socket.write(request.slice(0, half))
  // The first half has arrived when a later request is answered.
  expect((await gateway.call("GET", "/api/v1/auths/")).status).toBe(200)
  gateway.child.kill("SIGTERM")
  await expect.poll(() => gateway.output.join("\n")).toContain("draining")
  gateway.child.kill("SIGTERM")
  socket.write(request.slice(half))
  expect(await gateway.exited).toBe(0)
  socket.destroy()
  return answer
}

const messages = [{ role: "user", content: "hello" }]
const completion = JSON.stringify({ model: "gpt-fake", messages })

it.each([
  ["on the fast path", "POST /v1/chat/completions", completion],
  ["by Node's server", "POST /api/v1/groups/create", JSON.stringify({ name: "Late" })],
])("a request whose body arrives during the shutdown is answered %s", async (_by, line, body) => {
  expect(await completeDuringShutdown(requestOf(line, body))).toMatch(/^HTTP\/1\.1 200 /)
})

it("an event stream that is requested during the shutdown ends at once", async () => {
  const startedAt = performance.now()
  const answer = await completeDuringShutdown(requestOf("GET /api/v1/events"))
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n0\r\n\r\n$/)
  expect(performance.now() - startedAt).toBeLessThan(5000)
})

it("a model request that outlasts the shutdown gets an error that asks to repeat it", async () => {
  upstream.injectFault({ kind: "hang" }, { on: /completions/ })
  const answer = await completeDuringShutdown(requestOf("POST /v1/chat/completions", completion))
  expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  expect(answer).toContain("shutting_down")
})
