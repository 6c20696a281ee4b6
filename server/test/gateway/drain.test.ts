import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, expect, it } from "vitest"
import { killAllGateways } from "../harness/gateway-process.ts"
import { startTestGatewayProcess } from "../harness/test-gateway-process.ts"

const dataDir = mkdtempSync(join(tmpdir(), "portico-drain-"))
afterAll(() => {
  killAllGateways()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Sends a request on a new connection. @returns its status, or the code of the connection error */
const sendRequest = (url: string, path: string): Promise<number | string> =>
  new Promise((resolve) => {
    const requested = request(url + path, { agent: false }, (reply) => {
      reply.resume()
      reply.once("end", () => resolve(reply.statusCode ?? 0))
    })
    requested.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    requested.end()
  })

it("a load balancer that polls /ready removes a stopping gateway before any request is refused", async () => {
  const server = await startTestGatewayProcess({ DATA_DIR: dataDir, DRAIN_DELAY: "2s" })
  let isRouted = true
  const answers: (number | string)[] = []
  const balancer = (async () => {
    while (isRouted) {
      if ((await sendRequest(server.url, "/ready")) !== 200) isRouted = false
      await sleep(100)
    }
  })()
  const clients = Array.from({ length: 4 }, async () => {
    // Requests that the load balancer has already routed still arrive.
    while (isRouted) answers.push(await sendRequest(server.url, "/api/version"))
  })
  await expect.poll(() => answers.length).toBeGreaterThan(20)
  const stoppedAt = performance.now()
  server.child.kill("SIGTERM")
  await balancer
  expect(await sendRequest(server.url, "/ready")).toBe(503)
  expect(await sendRequest(server.url, "/health")).toBe(200)
  await Promise.all(clients)
  expect(answers.length).toBeGreaterThan(20)
  expect(answers.filter((answer) => answer !== 200)).toEqual([])
  expect(await server.exited).toBe(0)
  // Timers have a resolution of 1 ms and may fire 1 ms early.
  expect(performance.now() - stoppedAt).toBeGreaterThan(1990)
  expect(await sendRequest(server.url, "/ready")).toBe("ECONNREFUSED")
}, 60_000)

it("without DRAIN_DELAY, an idle gateway stops immediately", async () => {
  const server = await startTestGatewayProcess({ DATA_DIR: dataDir })
  const since = performance.now()
  server.child.kill("SIGTERM")
  expect(await server.exited).toBe(0)
  expect(performance.now() - since).toBeLessThan(4000)
}, 60_000)
