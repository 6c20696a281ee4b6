import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { maxRows } from "../../src/db/max-rows.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { startLatencyProbe } from "../harness/latency-probe.ts"
import { createCollection, upload } from "./collections.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const { filesPerCollection, collectionFilesPerUser } = maxRows
const limitReached = { status: 409, body: { code: "limit_reached" } }

describe.each(chooseDatabases())("full collections on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let owner: { id: string; key: string }
  let fullCollection: string

  const addFiles = (id: string, fileIds: readonly string[]) => {
    const files = fileIds.map((file_id) => ({ file_id }))
    const path = `/api/v1/knowledge/${id}/files/batch/add`
    return gateway.call("POST", path, files, { key: owner.key })
  }
  const storeFile = async (name: string): Promise<string> => {
    const { body } = await upload(gateway, name, name, { key: owner.key, query: "?process=false" })
    return body.id
  }
  const countOf = async (id: string, key = owner.key): Promise<number> => {
    const { body } = await gateway.call("GET", `/api/v1/knowledge/${id}`, undefined, { key })
    return body.file_counts.total
  }
  /** Adds the files `first` to `last` created in `beforeAll`. */
  const addGeneratedFiles = (id: string, first: number, last: number) =>
    gateway.gateway.db.transact((tx) =>
      sql`insert into collection_files (collection_id, file_id, added_at)
        select ${id}, id, 1 from files
        where id >= ${generatedFileId(first)} and id <= ${generatedFileId(last)}`.execute(tx),
    )
  const generatedFileId = (n: number): string => `made ${1_000_000 + n}`

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
    owner = await gateway.createUser("Ida")
    await gateway.gateway.db.transact((tx) =>
      sql`with recursive numbers(n) as
        (select 1 union all select n + 1 from numbers where n < ${filesPerCollection})
        insert into files (id, user_id, hash, filename, filename_key, content_type, size, metadata,
          status, created_at, updated_at)
        select 'made ' || (1000000 + n), ${owner.id}, 'none', 'f', 'f', 'text/plain', 1, '{}',
          'stored', 1, 1 from numbers`.execute(tx),
    )
    fullCollection = await createCollection(gateway, "Shelf", [], owner.key)
  })
  afterAll(() => gateway.stop())

  it("accept files they already contain, however often repeated, and no others", async () => {
    await addGeneratedFiles(fullCollection, 1, filesPerCollection - 1)
    const [last, more] = [await storeFile("last.txt"), await storeFile("more.txt")]
    const present = [generatedFileId(1), generatedFileId(2)]
    expect((await addFiles(fullCollection, [last, ...present, last])).status).toBe(200)
    expect((await addFiles(fullCollection, [last, ...present])).status).toBe(200)
    expect(await addFiles(fullCollection, [more, ...present])).toMatchObject(limitReached)
    expect(await countOf(fullCollection)).toBe(filesPerCollection)
  })

  it("are limited per user across all collections", async () => {
    const count = collectionFilesPerUser / filesPerCollection - 1
    for (let n = 0; n < count; n++) {
      const id = await createCollection(gateway, `Shelf ${n}`, [], owner.key)
      await addGeneratedFiles(id, 1, filesPerCollection)
    }
    const other = await createCollection(gateway, "Other", [], owner.key)
    const refused = await addFiles(other, [generatedFileId(1)])
    expect(refused).toMatchObject(limitReached)
    expect(refused.body.detail).toMatch(/1,000,000 files in total/)
    expect((await addFiles(fullCollection, [generatedFileId(1)])).status).toBe(200)
    const { key } = await gateway.createUser("Eve")
    const file = await upload(gateway, "a.txt", "a", { key, query: "?process=false" })
    const own = await createCollection(gateway, "Own", [], key)
    const path = `/api/v1/knowledge/${own}/file/add`
    const added = await gateway.call("POST", path, { file_id: file.body.id }, { key })
    expect(added.status).toBe(200)
  })

  it("can be listed by file name without delaying other requests", async () => {
    const prober = await startLatencyProbe(gateway.url)
    const started = performance.now()
    const list = (query: string) =>
      gateway.call("GET", `/api/v1/files/?${query}`, undefined, { key: owner.key })
    const { body } = await list("order_by=filename&direction=desc&page_size=3")
    const tookMs = performance.now() - started
    const { maxMs, controlMs } = await prober.stop()
    expect(body.total).toBe(filesPerCollection + 2)
    const names = body.items.map(({ filename }: { filename: string }) => filename)
    expect(names).toEqual(["more.txt", "last.txt", "f"])
    // On the event loop, other requests waited nearly as long as the query took, about 100 ms.
    expect(maxMs).toBeLessThan(Math.max(50, tookMs / 2 + 5 * controlMs))
  })

  it("can be emptied or deleted without delaying other requests", async () => {
    const [reset, deleted] = [
      await createCollection(gateway, "A"),
      await createCollection(gateway, "B"),
    ]
    await addGeneratedFiles(reset, 1, filesPerCollection)
    await addGeneratedFiles(deleted, 1, filesPerCollection)
    const requests = [
      ["POST", `/api/v1/knowledge/${reset}/reset`],
      ["DELETE", `/api/v1/knowledge/${deleted}/delete`],
    ] as const
    for (const [method, path] of requests) {
      const prober = await startLatencyProbe(gateway.url)
      const started = performance.now()
      const { status } = await gateway.call(method, path)
      const tookMs = performance.now() - started
      const { maxMs, controlMs } = await prober.stop()
      expect(status).toBe(200)
      // With a single statement, other requests waited nearly as long as it took.
      expect(maxMs).toBeLessThan(tookMs / 2 + 5 * controlMs)
    }
    expect(await countOf(reset, gateway.key)).toBe(0)
    expect((await gateway.call("GET", `/api/v1/knowledge/${deleted}`)).status).toBe(404)
  })
})
