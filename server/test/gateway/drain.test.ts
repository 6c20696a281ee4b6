import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, expect, it } from "vitest"
import { killAll } from "../harness/gateway-process.ts"
import { startServer } from "../harness/process.ts"

const dataDir = mkdtempSync(join(tmpdir(), "portico-drain-"))
afterAll(() => {
  killAll()
  rmSync(dataDir, { recursive: true, force: true })
})

/** The status of one request over a connection of its own; an error's code where there is none. */
const knock = (url: string, path: string): Promise<number | string> =>
  new Promise((resolve) => {
    const asked = request(url + path, { agent: false }, (reply) => {
      reply.resume()
      reply.once("end", () => resolve(reply.statusCode ?? 0))
    })
    asked.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    asked.end()
  })

it("a balancer that asks /ready takes a stopping gateway out before anybody is refused", async () => {
  const server = await startServer({ DATA_DIR: dataDir, DRAIN_DELAY: "2s" })
  let isIn = true
  const answers: (number | string)[] = []
  const balancer = (async () => {
    while (isIn) {
      if ((await knock(server.url, "/ready")) !== 200) isIn = false
      await sleep(100)
    }
  })()
  const clients = Array.from({ length: 4 }, async () => {
    // What the balancer has decided on when it looks still arrives.
    while (isIn) answers.push(await knock(server.url, "/api/version"))
  })
  await sleep(500)
  const stoppedAt = performance.now()
  server.child.kill("SIGTERM")
  await balancer
  expect(await knock(server.url, "/ready")).toBe(503)
  expect(await knock(server.url, "/health")).toBe(200)
  await Promise.all(clients)
  expect(answers.length).toBeGreaterThan(20)
  expect(answers.filter((answer) => answer !== 200)).toEqual([])
  expect(await server.ended).toBe(0)
  // Timers count in milliseconds, and may fire one early.
  expect(performance.now() - stoppedAt).toBeGreaterThan(1990)
  expect(await knock(server.url, "/ready")).toBe("ECONNREFUSED")
}, 60_000)

it("without DRAIN_DELAY, a gateway that nobody uses stops at once", async () => {
  const server = await startServer({ DATA_DIR: dataDir })
  const since = performance.now()
  server.child.kill("SIGTERM")
  expect(await server.ended).toBe(0)
  expect(performance.now() - since).toBeLessThan(4000)
}, 60_000)
