import { mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { waitForEarlierRequests } from "../harness/earlier-requests.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { amount } from "../harness/short-and-long-form.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"

// These tests start separate processes.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })

const drainTimeoutMs = 60_000
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

let folder: string
let gateway: TestGatewayProcess
const sockets: Socket[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "portico-stop-"))
  gateway = await startTestGatewayProcess({
    DATA_DIR: folder,
    DRAIN_TIMEOUT: `${drainTimeoutMs / 1000}s`,
  })
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  killAllGateways()
  rmSync(folder, { recursive: true, force: true })
})

const send = (text: string): Socket => {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  socket.write(text)
  sockets.push(socket)
  return socket
}

const headOf = (path: string, length: number, type = "application/json"): string =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${gateway.key}`,
    `Content-Type: ${type}`,
    `Content-Length: ${length}`,
    "\r\n",
  ].join("\r\n")

/** Ends the gateway. @returns how long that took, in ms */
const stop = async (): Promise<number> => {
  const startedAt = performance.now()
  gateway.child.kill("SIGTERM")
  expect(await gateway.exited).toBe(0)
  return performance.now() - startedAt
}

const completions = "/v1/chat/completions"
const chunked = "Transfer-Encoding: chunked"
const start = (line: string, ...headers: string[]): string =>
  [
    ...[`${line} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${gateway.key}`],
    ...[...headers, "\r\n"],
  ].join("\r\n")

const multipart = "multipart/form-data; boundary=x"
const partHead = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nwords'
const requests: [what: string, text: () => string][] = [
  ["a body on the fast path", () => `${headOf(completions, 1000)}{"model":`],
  ["a body for Node's server", () => `${headOf("/api/v1/chats/new", 1000)}{"title":`],
  ["an upload", () => `${headOf("/api/v1/files/", 1000, multipart)}${partHead}`],
  ["a rejected body", () => `${headOf("/api/v1/nothing", 1000)}{"title":`],
  ["a head", () => "POST /v1/chat/completions HTTP/1.1\r\nHost: local"],
  ["a chunked body", () => `${start(`POST ${completions}`, chunked)}5\r\n{"mod`],
  [
    "a chunked body without its end",
    () => `${start("POST /api/v1/chats/new", chunked)}2\r\n{}\r\n`,
  ],
  [
    "a body that was asked for",
    () => start("POST /api/v1/chats/new", "Content-Length: 9", "Expect: 100-continue"),
  ],
  ["a native upload", () => `${headOf(`/ollama/api/blobs/sha256:${"a".repeat(64)}`, 1000)}abc`],
  ["a second head", () => `${start("GET /api/v1/chats/")}GET /api/v1/ch`],
  ["a second head on the fast path", () => `${headOf(completions, 2)}{}POST /v1/cha`],
  ["a second body", () => `${start("GET /api/v1/chats/")}${headOf("/api/v1/chats/new", 9)}{`],
]

/** The short form sends all to one gateway. */
const cases: [what: string, texts: (() => string)[]][] = amount(
  [["any request", requests.map(([, text]) => text)]],
  requests.map(([what, text]) => [what, [text]]),
)

it.each(cases)("is not delayed by %s of which only a half was sent", async (_what, texts) => {
  for (const text of texts) send(text())
  await waitForEarlierRequests(gateway)
  expect(await stop()).toBeLessThan(drainTimeoutMs / 2)
})

it("waits for a body that keeps arriving", async () => {
  const body = JSON.stringify({ name: "x".repeat(40) })
  const socket = send(headOf("/api/v1/groups/create", body.length))
  let answer = ""
  socket.on("data", (bytes) => {
    answer += bytes
  })
  const stopped = stop()
  // Longer than a stalled client may take, but never without progress.
  for (const character of body) {
    socket.write(character)
    await sleep(100)
  }
  await stopped
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
})
