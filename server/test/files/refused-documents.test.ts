import { createServer } from "node:http"
import { buffer } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { waitFor } from "../harness/usage-records.ts"
import { upload } from "../knowledge/collections.ts"
import { createPdf } from "./make-documents.ts"

const query = "?process_in_background=false"

describe.each(chooseDatabases())("a document that the engine refuses on $name", (kind) => {
  let database: TestDatabase
  let gateway: TestGateway
  let status = 200
  let answers: Promise<void> = Promise.resolve()
  let requests = 0
  const tika = createServer(async (request, response) => {
    requests++
    const code = status
    await buffer(request)
    await answers
    response.writeHead(code).end(code === 200 ? "Recognised words." : "")
  })
  let env: Record<string, string> = {}
  beforeAll(async () => {
    database = await kind.createDatabase()
    const port = await listenOnLoopback(tika)
    env = { ...database.env, EXTRACTION_URL: `http://127.0.0.1:${port}` }
    gateway = await startGateway(env)
  })
  afterAll(async () => {
    await gateway.stop()
    tika.close()
    await database.remove()
  })

  const dataOf = async (id: string) => (await gateway.call("GET", `/api/v1/files/${id}`)).body.data
  const process = (id: string, body?: object) =>
    gateway.call("POST", `/api/v1/files/${id}/process`, body)

  it("is sent once, and is not outdated any more after an upgrade", async () => {
    status = 200
    const { body: file } = await upload(gateway, "scan.pdf", createPdf([""]), { query })
    expect(file.data.status).toBe("completed")
    await gateway.gateway.db.transact(async (tx) => {
      const old = { reader_version: 1, attempted_reader_version: 1 }
      await tx.updateTable("files").set(old).where("id", "=", file.id).execute()
    })
    await gateway.stop()
    status = 422
    requests = 0
    gateway = await startGateway(env)
    const rereading = async () =>
      (await gateway.call("GET", "/api/v1/admin/overview")).body.files.rereading
    await expect.poll(rereading, { timeout: 10_000 }).toBeNull()
    expect(requests).toBe(1)
    const { status: kept, warnings } = await dataOf(file.id)
    expect(kept).toBe("completed")
    expect(JSON.stringify(warnings)).toContain("HTTP 422")
    const fresh = await upload(gateway, "other.pdf", createPdf(["", ""]), { query })
    expect(fresh.body.data).toMatchObject({ status: "failed", error_code: "internal" })
    expect(requests).toBe(2)
  }, 30_000)

  it("does not end the attempt that its owner started since", async () => {
    status = 200
    const { body: file } = await upload(gateway, "late.pdf", createPdf(["", "", ""]), { query })
    const { promise, resolve } = Promise.withResolvers<void>()
    answers = promise
    status = 422
    const before = requests
    await process(file.id)
    await waitFor(() => requests > before)
    status = 200
    await process(file.id)
    resolve()
    await expect
      .poll(() => dataOf(file.id), { timeout: 10_000 })
      .toMatchObject({ status: "completed", warnings: [] })
    expect(requests).toBe(before + 2)
  }, 30_000)
})
