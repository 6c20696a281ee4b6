import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type FakeS3, startFakeS3 } from "../fakes/s3.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"

const query = "?process_in_background=false"
let s3: FakeS3
let dataDir = ""
let gateway: TestGateway

const start = () => startGateway({ DATA_DIR: dataDir, S3_URL: s3.url })

beforeAll(async () => {
  s3 = await startFakeS3()
  dataDir = mkdtempSync(join(tmpdir(), "portico-"))
  gateway = await start()
})
afterAll(async () => {
  await gateway.stop()
  s3.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const onDisk = (): string[] =>
  ["uploads", "partial"].flatMap((folder) => readdirSync(join(dataDir, folder)))

it("stores content in the object store, reads it there, and removes it with its last file", async () => {
  const first = await upload(gateway, "bees.txt", "Bees dance to tell the way.", { query })
  expect(first.body.data.status).toBe("completed")
  const second = await upload(gateway, "same.txt", "Bees dance to tell the way.", { query })
  expect([...s3.objects.keys()]).toEqual([
    expect.stringMatching(new RegExp(`^of ours/../../${first.body.hash}$`)),
  ])
  expect(onDisk()).toEqual([])
  const part = await fetch(`${gateway.url}/api/v1/files/${first.body.id}/content`, {
    headers: { authorization: `Bearer ${adminKey}`, range: "bytes=5-9" },
  })
  expect([part.status, await part.text()]).toEqual([206, "dance"])
  await gateway.call("DELETE", `/api/v1/files/${first.body.id}`)
  expect(s3.objects.size).toBe(1)
  await gateway.call("DELETE", `/api/v1/files/${second.body.id}`)
  expect(s3.objects.size).toBe(0)
})

it("rejects an upload while the store is unavailable, and stores nothing of it", async () => {
  s3.setFault(() => 503)
  const refused = await upload(gateway, "bees.txt", "Bees dance at noon.")
  s3.setFault(null)
  expect(refused.status).toBe(503)
  expect(refused.body.detail).toContain("The object store returned HTTP 503")
  expect(onDisk()).toEqual([])
  expect((await gateway.call("GET", "/api/v1/files")).body.total).toBe(0)
})

it("reports why the store rejects a request", async () => {
  s3.setFault(() => 403)
  const refused = await upload(gateway, "bees.txt", "Bees dance at night.")
  s3.setFault(null)
  expect([refused.status, refused.body.detail]).toEqual([
    503,
    expect.stringContaining("The object store returned HTTP 403 (SlowDown)"),
  ])
})

it("does not report a file as missing if the store does not know the bucket or the key", async () => {
  const { body } = await upload(gateway, "bees.txt", "Bees dance at dawn.", { query })
  s3.setFault(() => 404)
  const reply = await gateway.call("GET", `/api/v1/files/${body.id}/content`)
  s3.setFault(null)
  expect([reply.status, reply.body.detail]).toEqual([
    503,
    expect.stringContaining("The object store returned HTTP 404 (SlowDown)"),
  ])
  await gateway.call("DELETE", `/api/v1/files/${body.id}`)
})

it("resumes processing a file once the store is available again", async () => {
  let refused = 0
  s3.setFault((request) => {
    if (request.method !== "GET" || request.headers.range) return null
    refused++
    return 503
  })
  const { body } = await upload(gateway, "bees.txt", "Bees dance in the evening.")
  await expect.poll(() => refused, { timeout: 10_000 }).toBeGreaterThan(1)
  s3.setFault(null)
  const path = `/api/v1/files/${body.id}/process/status?stream=true`
  expect((await gateway.call("GET", path)).body).toContain('"status":"completed"')
})

it("removes objects left by a crash from the store at the next start", async () => {
  await gateway.stop()
  const orphan = `of ours/ab/ab/${"ab".repeat(32)}`
  s3.objects.set(orphan, Buffer.from("of nobody"))
  s3.objects.set("elsewhere/kept", Buffer.from("of somebody else"))
  gateway = await start()
  await expect.poll(() => s3.objects.has(orphan)).toBe(false)
  expect(s3.objects.has("elsewhere/kept")).toBe(true)
})
