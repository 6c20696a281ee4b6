import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliCompressSync } from "node:zlib"
import { pino } from "pino"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createUserLimit } from "../../src/concurrency/user-limit.ts"
import { createBodyMemory } from "../../src/http/body-memory.ts"
import { createConnectionLimit } from "../../src/http/connection-limit.ts"
import { createCors } from "../../src/http/cors.ts"
import { createServerApp } from "../../src/http/server.ts"
import { serveWebApp } from "../../src/web-files.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"

describe("the web application", () => {
  const folder = mkdtempSync(join(tmpdir(), "portico-web-"))
  const page = "<!doctype html><title>Portico</title>"
  const script = `console.log("${"portico ".repeat(200)}")`
  const bounds = { perUser: 1000, total: 1000 }
  const bodies = createUserLimit({ what: "bytes", variable: "MAX_BUFFERED_BODIES", bounds })
  const app = createServerApp({
    log: pino({ level: "silent" }),
    bodyMemory: createBodyMemory(bodies),
    connectionLimit: createConnectionLimit({ bounds, maxPerUser: 1000, isTrusted: () => false }),
    addressOf: () => "127.0.0.1",
    checkHost: () => undefined,
    usesFastPath: true,
    cors: createCors([]),
    styleOf: () => "api",
  })
  app.fallback(serveWebApp({ folder, reserved: ["api", "docs"] }))
  const server = createServer(app.listener)
  let url = ""

  beforeAll(async () => {
    mkdirSync(join(folder, "assets"))
    writeFileSync(join(folder, "index.html"), page)
    writeFileSync(join(folder, "assets/app-1a2b3c.js"), script)
    writeFileSync(join(folder, "assets/app-1a2b3c.js.br"), brotliCompressSync(script))
    writeFileSync(join(folder, "..", "portico-secret.txt"), "hidden text")
    url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  })
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true })
    rmSync(join(folder, "..", "portico-secret.txt"))
  })

  it.each([
    "/",
    "/c/0198",
    "/models/view/llama.gguf",
    "/models/view/qwen%2F3:4b",
    "/admin/users?role=admin",
    "/a/b/",
  ])("serves the page at %s without caching it", async (path) => {
    const reply = await fetch(url + path)
    expect([reply.status, await reply.text()]).toEqual([200, page])
    expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(reply.headers.get("cache-control")).toBe("no-cache")
  })

  it("allows only its own scripts, and no framing", async () => {
    const { headers } = await fetch(url)
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
  })

  it("caches hashed files forever, and revalidates others by ETag", async () => {
    const asset = await fetch(`${url}/assets/app-1a2b3c.js`, {
      headers: { "accept-encoding": "gzip, br" },
    })
    expect(await asset.text()).toBe(script)
    expect(asset.headers.get("content-encoding")).toBe("br")
    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    const etag = (await fetch(url)).headers.get("etag") ?? ""
    const revalidated = await fetch(url, { headers: { "if-none-match": etag } })
    expect(revalidated.status).toBe(304)
  })

  it("sends uncompressed files to clients that accept no compression", async () => {
    const asset = await fetch(`${url}/assets/app-1a2b3c.js`, {
      headers: { "accept-encoding": "identity" },
    })
    expect(asset.headers.get("content-encoding")).toBeNull()
    expect(await asset.text()).toBe(script)
  })

  it.each(["/api/nothing", "/docs", "/DOCS/x", "/assets/gone-000.js"])(
    "returns 404 for %s",
    async (path) => {
      const reply = await fetch(url + path)
      expect(reply.status).toBe(404)
      expect(await reply.json()).toMatchObject({ code: "not_found" })
    },
  )

  it.each(["/..%2fportico-secret.txt", "/assets/%2e%2e/%2e%2e/portico-secret.txt", "//etc/passwd"])(
    "serves no file outside its folder at %s",
    async (path) => {
      const text = await (await fetch(url + path)).text()
      expect(text).not.toContain("hidden text")
      expect(text).not.toContain("root:")
    },
  )
})

describe("groups to share with", () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startGateway()
  })
  afterAll(() => gateway.stop())

  it("are the caller's own groups", async () => {
    const { id, key } = await gateway.createUser("Grace")
    const made = await gateway.call("POST", "/api/v1/groups/create", { name: "Pilots" })
    await gateway.call("POST", "/api/v1/groups/create", { name: "Strangers" })
    const path = `/api/v1/groups/${made.body.id}/members/add`
    await gateway.call("POST", path, { user_ids: [id] })
    const { status, body } = await gateway.call("GET", "/api/v1/groups/mine", undefined, { key })
    expect([status, body]).toEqual([200, [{ id: made.body.id, name: "Pilots", role: "member" }]])
  })
})
