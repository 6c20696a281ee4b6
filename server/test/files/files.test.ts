import { existsSync, readdirSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"

describe.each(chooseDatabases())("files on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway({ ...database.env, MAX_UPLOAD_SIZE: "1MB" })
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  const waitForProcessing = (id: string) =>
    gateway.call("GET", `/api/v1/files/${id}/process/status?stream=true`)

  it("returns the record of an upload, and processes it in the background", async () => {
    const { status, body } = await upload(
      gateway,
      "notes.md",
      "# Bees\n\nBees dance to tell where flowers are.",
    )
    expect(status).toBe(200)
    expect(body).toMatchObject({
      filename: "notes.md",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      meta: { name: "notes.md", size: 45 },
      data: { status: "pending", error: null },
    })
    const events = (await waitForProcessing(body.id)).body.trim().split("\n\n")
    expect(JSON.parse(events.at(-1).replace("data: ", ""))).toMatchObject({
      status: "completed",
      progress: { passages: 1 },
    })
    const text = await gateway.call("GET", `/api/v1/files/${body.id}/data/content`)
    expect(text.body.content).toBe("# Bees\n\nBees dance to tell where flowers are.")
    const list = await gateway.call("GET", "/api/v1/files?query=NOTES")
    expect(list.body).toMatchObject({ total: 1, items: [{ id: body.id }] })
  })

  it("returns the final status after processing, if asked to wait", async () => {
    const query = "?process_in_background=false"
    const good = await upload(gateway, "a.txt", "Some words.", { query })
    expect(good.body.data.status).toBe("completed")
    const blank = await upload(gateway, "b.txt", "  \n \n ", { query })
    expect(blank.body.data).toMatchObject({
      status: "failed",
      error: "No readable text in this file.",
    })
  })

  it("only stores a file, if asked to, and processes it later", async () => {
    const { body } = await upload(gateway, "later.txt", "Later words.", { query: "?process=false" })
    expect(body.data.status).toBe("stored")
    const repeated = await gateway.call("POST", `/api/v1/files/${body.id}/process`)
    // Processing may have started by now.
    expect(["pending", "processing"]).toContain(repeated.body.data.status)
    await waitForProcessing(body.id)
    const after = await gateway.call("GET", `/api/v1/files/${body.id}`)
    expect(after.body.data.status).toBe("completed")
  })

  it("stores identical content once, until the last file with it is deleted", async () => {
    const one = (await upload(gateway, "one.txt", "The very same words.")).body
    const two = (await upload(gateway, "two.txt", "The very same words.")).body
    expect(two.hash).toBe(one.hash)
    expect(two.id).not.toBe(one.id)
    await waitForProcessing(one.id)
    await waitForProcessing(two.id)
    const path = join(
      database.dataDir,
      "objects",
      one.hash.slice(0, 2),
      one.hash.slice(2, 4),
      one.hash,
    )
    expect(existsSync(path)).toBe(true)
    expect((await gateway.call("DELETE", `/api/v1/files/${one.id}`)).status).toBe(200)
    expect(existsSync(path)).toBe(true)
    const { body } = await gateway.call("GET", `/api/v1/files/${two.id}/data/content`)
    expect(body.content).toBe("The very same words.")
    await gateway.call("DELETE", `/api/v1/files/${two.id}`)
    expect(existsSync(path)).toBe(false)
    expect(readdirSync(join(database.dataDir, "uploads"))).toEqual([])
  })

  it("returns the content, including ranges, and never as an HTML page", async () => {
    const page = "<script>alert(1)</script><p>Hello</p>"
    const { body } = await upload(gateway, "x.html", page, { type: "text/html" })
    const get = (headers: Record<string, string> = {}, method = "GET") =>
      fetch(`${gateway.url}/api/v1/files/${body.id}/content`, {
        method,
        headers: { authorization: `Bearer ${adminKey}`, ...headers },
      })
    const whole = await get()
    expect(await whole.text()).toBe(page)
    expect(whole.headers.get("content-type")).toBe("application/octet-stream")
    expect(whole.headers.get("content-disposition")).toContain("attachment")
    expect(whole.headers.get("x-content-type-options")).toBe("nosniff")
    expect(whole.headers.get("content-security-policy")).toContain("sandbox")
    const part = await get({ range: "bytes=8-12" })
    expect([part.status, await part.text()]).toEqual([206, page.slice(8, 13)])
    expect(part.headers.get("content-range")).toBe(`bytes 8-12/${page.length}`)
    expect(await (await get({ range: "bytes=-4" })).text()).toBe("</p>")
    expect((await get({ range: "bytes=900-" })).status).toBe(416)
    expect((await get({ "if-none-match": whole.headers.get("etag") ?? "" })).status).toBe(304)
    const head = await get({}, "HEAD")
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(page.length)])
  })

  it("rejects files that are too large, empty, sent twice, missing or not text, and stores nothing", async () => {
    expect((await upload(gateway, "big.txt", "x".repeat(1_000_001))).status).toBe(413)
    expect((await upload(gateway, "none.txt", "")).status).toBe(400)
    const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(5000)])
    const picture = await upload(gateway, "notes.txt", png)
    expect(picture).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } })
    expect(picture.body.detail).toContain("PNG image")
    expect((await upload(gateway, "p.png", png, { query: "?process=false" })).status).toBe(200)
    const twice = new FormData()
    twice.append("file", new Blob(["a"]), "a.txt")
    twice.append("file", new Blob(["b"]), "b.txt")
    const bare = new FormData()
    bare.append("other", "thing")
    for (const body of [twice, bare, JSON.stringify({ file: "x" })]) {
      const headers = { authorization: `Bearer ${adminKey}` }
      const response = await fetch(`${gateway.url}/api/v1/files`, { method: "POST", headers, body })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: "bad_request" })
    }
    await expect.poll(() => readdirSync(join(database.dataDir, "uploads"))).toEqual([])
  })

  it("rejects 2 GB by its declared length, before receiving the body", async () => {
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${gateway.url}/api/v1/files/`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${adminKey}`,
          "content-type": "multipart/form-data; boundary=x",
          "content-length": 2_000_000_000,
        },
      })
      sent.on("response", (response) => {
        resolve(response.statusCode)
        sent.destroy()
      })
      sent.on("error", reject)
      sent.flushHeaders()
    })
    expect(status).toBe(413)
  })

  it("reduces a path in a file name to its last segment", async () => {
    for (const name of ["../../etc/passwd", "C:\\temp\\passwd", "/passwd"]) {
      expect((await upload(gateway, name, "root")).body.filename).toBe("passwd")
    }
  })

  it("returns the same as for a missing file to other users, on every route", async () => {
    const { body } = await upload(gateway, "mine.txt", "Private words.")
    const { key } = await gateway.createUser(`Eve${database.url ? "P" : "S"}`)
    const routes: [string, string][] = [
      ["GET", ""],
      ["GET", "/content"],
      ["GET", "/data/content"],
      ["GET", "/process/status"],
      ["GET", "/process/status?stream=true"],
      ["POST", "/process"],
      ["DELETE", ""],
    ]
    for (const [method, path] of routes) {
      const answer = async (id: string) => {
        const call = await gateway.call(method, `/api/v1/files/${id}${path}`, undefined, { key })
        return { status: call.status, body: call.body }
      }
      const hidden = await answer(body.id)
      expect(hidden.status, `${method} ${path}`).toBe(404)
      expect(hidden).toEqual(await answer("0197a0b0-0000-7000-8000-000000000000"))
    }
    expect((await gateway.call("GET", "/api/v1/files", undefined, { key })).body.total).toBe(0)
  })
})
