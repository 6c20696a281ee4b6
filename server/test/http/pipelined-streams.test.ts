import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { adminKey } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../harness/test-gateway-process.ts"

const heartbeatMs = 200

let server: TestGatewayProcess
let dataDir: string
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "portico-"))
  server = await startTestGatewayProcess({ DATA_DIR: dataDir }, { options: { heartbeatMs } })
})
afterAll(() => {
  killAllGateways()
  rmSync(dataDir, { recursive: true, force: true })
})

it("survives HEAD requests of an event stream that are pipelined behind an open one", async () => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const eventsRequest = (method: string): string =>
    `${method} /api/v1/events HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${adminKey}\r\n\r\n`
  let answer = ""
  socket.on("data", (chunk) => {
    answer += chunk
  })
  socket.write(eventsRequest("GET") + eventsRequest("HEAD") + eventsRequest("HEAD"))
  // The pipelined streams send their heartbeats at the same times.
  const heartbeats = () => answer.split(": still here").length - 1
  await expect.poll(heartbeats, { timeout: 10_000 }).toBeGreaterThan(3)
  socket.destroy()
  expect(server.child.exitCode).toBeNull()
  expect((await server.call("GET", "/api/v1/auths/")).status).toBe(200)
}, 60_000)

it("does not mistake a client's text in an error message for a disk failure", async () => {
  const id = "readonly database: database is locked, disk I/O error"
  expect((await server.call("POST", "/api/v1/models/model/delete", { id })).status).toBe(404)
  expect((await server.call("GET", "/ready")).status).toBe(200)
})
