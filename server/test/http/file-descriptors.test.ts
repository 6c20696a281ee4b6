import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { killAllGateways } from "../harness/gateway-process.ts"
import { startTestGatewayProcess } from "../harness/test-gateway-process.ts"

const dataDir = mkdtempSync(join(tmpdir(), "portico-descriptors-"))
afterAll(() => {
  killAllGateways()
  rmSync(dataDir, { recursive: true, force: true })
})

it("when file descriptors run out, new connections are rejected and logged, and the database stays writable", async () => {
  const server = await startTestGatewayProcess({ DATA_DIR: dataDir }, { openFiles: 200 })
  const port = Number(new URL(server.url).port)
  const write = async (name: string) =>
    (await server.call("POST", "/api/v1/groups/create", { name })).status
  expect(await write("before")).toBe(200)
  let closed = 0
  const sockets: Socket[] = []
  for (let n = 0; n < 300; n++) {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => {})
    socket.on("close", () => closed++)
    sockets.push(socket)
  }
  await expect.poll(() => closed, { timeout: 10_000 }).toBeGreaterThan(100)
  await expect
    .poll(() => server.output.some((line) => line.includes("Rejecting connections")))
    .toBe(true)
  // Accepted connections still work: some descriptors are reserved for files.
  const inside = sockets.find((socket) => !socket.destroyed)
  inside?.write("GET /ready HTTP/1.1\r\nhost: localhost\r\n\r\n")
  const [reply] = await once(inside ?? sockets[0] ?? process, "data")
  expect(String(reply)).toMatch(/^HTTP\/1\.1 200/)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => write("after").catch(() => 0), { timeout: 10_000 }).toBe(200)
  server.child.kill("SIGTERM")
  expect(await server.exited).toBe(0)
}, 60_000)
