import { sql } from "kysely"
import { expect, it } from "vitest"
import { chooseDatabases } from "../../test/harness/databases.ts"
import { startGateway } from "../../test/harness/gateway.ts"
import { collect, upload } from "../../test/knowledge/collections.ts"
import { startWarming, type Warmable } from "./cache-warming.ts"
import type { Found, Searcher } from "./search-client.ts"

const nothing: Found = { type: "found", id: 0, lexical: [], dense: [], total: 0 }

const manyFiles = (count: number): Warmable[] =>
  Array.from({ length: count }, (_, at) => ({ id: `${at}`, filename: `${at}.txt`, passages: 10 }))

/** A search that records its queries and takes some time. */
const remembering = () => {
  const pieces: string[][] = []
  const search: Searcher["search"] = async ({ files }) => {
    pieces.push(files.map(({ id }) => id))
    await new Promise((resolve) => setTimeout(resolve, 10))
    return nothing
  }
  return { pieces, search }
}

it("reads all files in batches with pauses between them", async () => {
  const { pieces, search } = remembering()
  const start = performance.now()
  const files = async () => manyFiles(170)
  const warming = startWarming({ searcher: { search }, files, space: () => "s", after: 0 })
  await warming.done()
  expect(pieces.map(({ length }) => length)).toEqual([50, 50, 50, 20])
  expect(new Set(pieces.flat()).size).toBe(170)
  expect(performance.now() - start).toBeGreaterThan(4 * 10 * 3)
})

it("starts no search without files, and stops between batches when closed", async () => {
  const empty = remembering()
  const files = async () => []
  await startWarming({ searcher: empty, files, space: () => null, after: 0 }).done()
  expect(empty.pieces).toEqual([])
  const many = remembering()
  const all = async () => manyFiles(5000)
  const warming = startWarming({ searcher: many, files: all, space: () => null, after: 0 })
  await expect.poll(() => many.pieces.length).toBeGreaterThan(0)
  await warming.close()
  expect(many.pieces.length).toBeLessThan(10)
})

it.each(chooseDatabases())(
  "loads files into memory soon after a restart, on $name",
  async ({ place: makePlace }) => {
    const place = await makePlace()
    const first = await startGateway(place.env)
    const query = "?process_in_background=false"
    const file = await upload(first, "owls.txt", "Owls turn their heads.", { query })
    const id = await collect(first, "Owls", [file.body.id])
    await first.stop()
    const second = await startGateway(place.env)
    await second.gateway.library.warmed()
    // Files in memory are not read again.
    await second.gateway.db.transact(async (tx) => {
      await sql`delete from file_words`.execute(tx)
    })
    const asked = { query: "How do owls turn?" }
    const { body } = await second.call("POST", `/api/v1/knowledge/${id}/query`, asked)
    expect(body.passages[0]?.text).toBe("Owls turn their heads.")
    await second.stop()
    await place.remove()
  },
)
