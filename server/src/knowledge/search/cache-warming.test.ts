import { sql } from "kysely"
import { expect, it } from "vitest"
import { createTestBackground } from "../../../test/harness/background.ts"
import { chooseDatabases } from "../../../test/harness/databases.ts"
import { startGateway } from "../../../test/harness/gateway.ts"
import { createCollection, upload } from "../../../test/knowledge/collections.ts"
import { startCacheWarming, type WarmableFile } from "./cache-warming.ts"
import type { SearchClient, SearchResult } from "./search-client.ts"

const nothing: SearchResult = { type: "found", id: 0, lexical: [], dense: [], total: 0 }

const manyFiles = (count: number): WarmableFile[] =>
  Array.from({ length: count }, (_, at) => ({ id: `${at}`, filename: `${at}.txt`, passages: 10 }))

/** A search that records its queries and takes some time. */
const createRecordingSearch = () => {
  const batches: string[][] = []
  const search: SearchClient["search"] = async ({ files }) => {
    batches.push(files.map(({ id }) => id))
    await new Promise((resolve) => setTimeout(resolve, 10))
    return nothing
  }
  return { pieces: batches, search }
}

it("reads all files in batches with pauses between them", async () => {
  const { pieces, search } = createRecordingSearch()
  const start = performance.now()
  const files = async () => manyFiles(170)
  const background = createTestBackground()
  const searchClient = { search }
  await startCacheWarming({
    background,
    searchClient,
    files,
    indexId: () => "s",
    cacheWarmingDelayMs: 0,
  })
  expect(pieces.map(({ length }) => length)).toEqual([50, 50, 50, 20])
  expect(new Set(pieces.flat()).size).toBe(170)
  expect(performance.now() - start).toBeGreaterThan(4 * 10 * 3)
})

it("starts no search without files, and stops between batches when closed", async () => {
  const empty = createRecordingSearch()
  const files = async () => []
  const background = createTestBackground()
  const options = { background, indexId: () => null, cacheWarmingDelayMs: 0 }
  await startCacheWarming({ ...options, searchClient: empty, files })
  expect(empty.pieces).toEqual([])
  const many = createRecordingSearch()
  const all = async () => manyFiles(5000)
  void startCacheWarming({ ...options, searchClient: many, files: all })
  await expect.poll(() => many.pieces.length).toBeGreaterThan(0)
  await background.close()
  expect(many.pieces.length).toBeLessThan(10)
})

it.each(chooseDatabases())(
  "loads files into memory soon after a restart, on $name",
  async ({ createDatabase }) => {
    const database = await createDatabase()
    const first = await startGateway(database.env)
    const query = "?process_in_background=false"
    const file = await upload(first, "owls.txt", "Owls turn their heads.", { query })
    const id = await createCollection(first, "Owls", [file.body.id])
    await first.stop()
    const second = await startGateway(database.env, { cacheWarmingDelayMs: 100 })
    await second.gateway.knowledge.warmed
    // Files in memory are not read again.
    await second.gateway.db.transact(async (tx) => {
      await sql`delete from file_words`.execute(tx)
    })
    const requested = { query: "How do owls turn?" }
    const { body } = await second.call("POST", `/api/v1/knowledge/${id}/query`, requested)
    expect(body.passages[0]?.text).toBe("Owls turn their heads.")
    await second.stop()
    await database.remove()
  },
)
