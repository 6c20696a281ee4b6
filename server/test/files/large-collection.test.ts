import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { createCollection, upload } from "../knowledge/collections.ts"

const stored = 230
const nameOf = (n: number) => `Doc ${String(n).padStart(3, "0")}.txt`

describe.each(chooseDatabases())("a collection of many files on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let collectionPath: string
  let ids: string[]

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
    const wait = { query: "?process_in_background=false" }
    const read = await upload(gateway, "read.txt", "Bees dance.", wait)
    const broken = await upload(gateway, "broken.pdf", "%PDF-1.7 and no more", wait)
    ids = [read.body.id, broken.body.id]
    for (let n = 0; n < stored; n++) {
      const { body } = await upload(gateway, nameOf(n), `${n}`, { query: "?process=false" })
      ids.push(body.id)
    }
    collectionPath = await createCollection(gateway, "Many", ids.slice(0, 2))
    const rest = ids.slice(2).map((file_id) => ({ file_id }))
    await gateway.call("POST", `/api/v1/knowledge/${collectionPath}/files/batch/add`, rest)
    await createCollection(gateway, "None")
  })
  afterAll(() => gateway.stop())

  const get = async (path: string) => gateway.call("GET", `/api/v1/knowledge/${path}`)
  const counts = { total: stored + 2, stored, pending: 0, processing: 0, completed: 1, failed: 1 }

  it("includes the total number and the first of its files", async () => {
    const { body } = await get(collectionPath)
    expect(body.file_counts).toEqual(counts)
    expect(body.files).toHaveLength(200)
    // IDs increase over time; files added in one request keep the order of their IDs.
    expect(body.files.map(({ id }: { id: string }) => id)).toEqual([...ids].sort().slice(0, 200))
  })

  it("is listed without its files", async () => {
    const { items } = (await get("")).body
    const byName = Object.fromEntries(items.map((item: { name: string }) => [item.name, item]))
    expect(byName.Many.file_counts).toEqual(counts)
    expect(byName.Many.files).toHaveLength(20)
    expect(byName.None.file_counts.total).toBe(0)
    expect(byName.None.files).toEqual([])
  })

  it("returns every file once across pages", async () => {
    const seen: string[] = []
    for (let page = 1; page <= 3; page++) {
      const { body } = await get(`${collectionPath}/files?page_size=100&page=${page}`)
      expect(body.total).toBe(stored + 2)
      seen.push(...body.items.map(({ id }: { id: string }) => id))
    }
    expect(seen.sort()).toEqual([...ids].sort())
  })

  it("can be filtered by file name and status", async () => {
    const found = async (query: string) => (await get(`${collectionPath}/files?${query}`)).body
    expect((await found("query=dOc%2022")).items.map(({ filename }: never) => filename)).toEqual(
      Array.from({ length: 10 }, (_, n) => nameOf(220 + n)),
    )
    expect((await found("query=%25")).total).toBe(0)
    expect((await found("status=failed")).items).toMatchObject([{ filename: "broken.pdf" }])
    expect((await found("status=failed,completed")).total).toBe(2)
    expect((await found("status=stored&query=doc%20001")).total).toBe(1)
    expect((await get(`${collectionPath}/files?status=lost`)).status).toBe(422)
  })

  it("is searched even if some files are not processed yet, and names those", async () => {
    const requested = { query: "bees" }
    const { body } = await gateway.call(
      "POST",
      `/api/v1/knowledge/${collectionPath}/query`,
      requested,
    )
    expect(body.passages).toMatchObject([{ filename: "read.txt" }])
    expect(body.sources_skipped).toHaveLength(stored + 1)
  })
})
