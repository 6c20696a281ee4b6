import { readdirSync, readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { waitFor } from "../harness/usage-records.ts"

const base = "/api/v1/connections"
const keySecret = "up-key-that-nobody-may-see"
const headerSecret = "header-that-nobody-may-see"
const environmentSecret = "env-key-that-nobody-may-see"

let gateway: TestGateway
let echoingProvider: Server
let url: string

beforeAll(async () => {
  // Repeats the headers it received, as some providers do when they reject a key.
  echoingProvider = createServer(({ headers }, response) => {
    response.writeHead(500, { "content-type": "application/json" })
    response.end(JSON.stringify({ error: `${headers.authorization} ${headers["x-secret"]}` }))
  })
  url = `http://127.0.0.1:${await listenOnLoopback(echoingProvider)}`
  gateway = await startGateway({
    OPENAI_API_BASE_URLS: url,
    OPENAI_API_KEYS: environmentSecret,
    LOG_LEVEL: "trace",
  })
})
afterAll(async () => {
  await gateway.stop()
  echoingProvider.close()
})

it("keeps secrets out of responses, the audit log, the log and the disk", async () => {
  const settings = {
    kind: "openai",
    name: "indiscreet provider",
    base_url: url,
    api_key: keySecret,
    headers: { "x-secret": headerSecret },
  }
  const created = await gateway.call("POST", `${base}/create`, settings)
  expect(created.body).toMatchObject({ api_key: "…-see", headers: { "x-secret": "…-see" } })
  const shown = await waitFor(async () => {
    const { body } = await gateway.call("GET", base)
    return body.items.every((item: typeof created.body) => item.health.last_error) && body
  })
  expect(shown.items.map((item: typeof created.body) => item.health.last_error)).toEqual([
    expect.stringContaining("Bearer …"),
    expect.stringContaining("Bearer … …"),
  ])
  const replies = [
    await gateway.call("POST", `${base}/${created.body.id}/update`, { name: "indiscreet" }),
    await gateway.call("POST", `${base}/${created.body.id}/test`),
    await gateway.call("POST", `${base}/test`, settings),
    await gateway.call("POST", `${base}/create`, { ...settings, position: -1 }),
    await gateway.call("GET", `${base}/${created.body.id}`),
  ]
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 422, 200])
  const { read } = gateway.gateway.db
  const rows = [
    await read.selectFrom("audit_events").selectAll().execute(),
    await read.selectFrom("connections").selectAll().execute(),
  ]
  const disk = readdirSync(gateway.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString("latin1"))
  expect(disk.join()).toContain("indiscreet")
  for (const place of [shown, replies, rows, gateway.logLines, disk]) {
    const text = JSON.stringify(place)
    for (const secret of [keySecret, headerSecret, environmentSecret]) {
      expect(text.includes(secret)).toBe(false)
    }
  }
})
