import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { hasPostgres, postgresDatabase } from "../../../test/harness/databases.ts"
import { hasPgvector, openWithPgvector } from "../../../test/harness/pgvector.ts"
import {
  chooseVectorBackends,
  openVectorSearch,
  passagesPerFile,
  randomVector,
} from "../../../test/knowledge/vector-search-setup.ts"
import { createPassageStore } from "../../files/passage-store.ts"

type Setting = Awaited<ReturnType<typeof openVectorSearch>>

describe.each(chooseVectorBackends())("semantic search with $name", (kind) => {
  let setting: Setting
  const files = Array.from({ length: 100 }, (_, at) => `file${at}`)

  beforeAll(async () => {
    setting = await openVectorSearch(kind)
    await setting.addIndex("space-a", "active")
    for (const [at, id] of files.entries()) {
      await setting.addFile(id)
      await setting.writeVectors("space-a", id)
      // The index is built half-way, over existing vectors and before later ones.
      if (at === 80) await setting.updateIndex()
    }
    await setting.updateIndex()
  }, 120_000)
  afterAll(() => setting.close())

  const recall = async (scope: readonly string[]): Promise<number> => {
    let hits = 0
    for (let round = 0; round < 40; round++) {
      const query = randomVector()
      const expected = new Set(setting.exactNearest("space-a", scope, query, 10))
      const { found } = await setting.search("space-a", scope, query, 20)
      hits += found.slice(0, 10).filter((at) => expected.has(at)).length
    }
    return hits / 400
  }

  it("uses pgvector if available, without errors", async () => {
    if (kind.exactUpTo === undefined) return
    const { db, messages, errors } = setting
    expect(errors).toEqual([])
    expect(messages.join("\n")).toMatch(/the database has pgvector 0\.[89]/)
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from passage_vectors_spacea`.execute(db.read)
    expect(Number(rows[0]?.count)).toBe(files.length * passagesPerFile)
  })

  it("finds the nearest ten of 3,000 passages", async () => {
    expect(await recall(files)).toBeGreaterThanOrEqual(0.99)
  })

  it("finds everything in a scope of one file in a hundred", async () => {
    expect(await recall(["file61"])).toBeGreaterThanOrEqual(0.99)
    expect(await recall(["file7"])).toBeGreaterThanOrEqual(0.99)
  })

  it("fills the limit from a small scope, and returns nothing outside of it", async () => {
    const { dense } = await setting.search("space-a", ["file3", "file90"], randomVector())
    expect(dense).toHaveLength(2 * passagesPerFile)
    expect(new Set(dense.map(({ file, passage }) => `${file} ${passage}`)).size).toBe(
      2 * passagesPerFile,
    )
    const nobody = await setting.search("space-a", ["nobody"], randomVector())
    expect(nobody.dense).toEqual([])
    expect((await setting.search("space-a", [], randomVector())).dense).toEqual([])
  })

  it("copies the vectors of another file with the same bytes", async () => {
    await setting.addFile("twin")
    await setting.db.transact((tx) => setting.store.copy(tx, "file5", "twin", "space-a"))
    const query = randomVector()
    const { dense } = await setting.search("space-a", ["twin"], query, 10)
    const original = await setting.search("space-a", ["file5"], query, 10)
    expect(dense.map(({ passage }) => passage)).toEqual(
      original.dense.map(({ passage }) => passage),
    )
  })

  it("removes the vectors of a deleted file", async () => {
    const { db } = setting
    await setting.addFile("gone")
    await setting.writeVectors("space-a", "gone")
    expect((await setting.search("space-a", ["gone"], randomVector())).dense).toHaveLength(
      passagesPerFile,
    )
    await db.transact(async (tx) => {
      await createPassageStore(db).clear(tx, "gone")
      await tx.deleteFrom("files").where("id", "=", "gone").execute()
    })
    if (kind.exactUpTo === undefined) return
    const { rows } = await sql`
      select 1 from passage_vectors_spacea where file_id = 'gone'`.execute(db.read)
    expect(rows).toEqual([])
  })

  it("builds a second index alongside the first, and drops the first when the second is activated", async () => {
    const { db, store } = setting
    const few = files.slice(0, 4)
    await setting.addIndex("space-b", "building")
    for (const id of few) await setting.writeVectors("space-b", id)
    await setting.updateIndex()
    const query = randomVector()
    const before = await setting.search("space-a", few, query)
    expect(before.found.slice(0, 10)).toEqual(setting.exactNearest("space-a", few, query, 10))
    const built = await setting.search("space-b", few, query)
    expect(built.found.slice(0, 10)).toEqual(setting.exactNearest("space-b", few, query, 10))
    await db.transact((tx) => store.activate(tx, "space-b"))
    await setting.updateIndex()
    const after = await setting.search("space-b", few, query)
    expect(after.found.slice(0, 10)).toEqual(setting.exactNearest("space-b", few, query, 10))
    expect(setting.errors).toEqual([])
    if (kind.exactUpTo === undefined) return
    const { rows } = await sql`
      select 1 from pg_tables where tablename = 'passage_vectors_spacea'`.execute(db.read)
    expect(rows).toEqual([])
  })
})

describe("a database", () => {
  it.runIf(hasPostgres)("without pgvector is reported and searched by a scan", async () => {
    const kind = postgresDatabase
    if (!kind) return
    const setting = await openVectorSearch(kind)
    onTestFinished(setting.close)
    const { rows } = await sql`
      select 1 from pg_available_extensions where name = 'vector'`.execute(setting.db.read)
    if (rows.length === 0) {
      expect(setting.messages).toEqual([
        expect.stringMatching(/^the gateway scans vectors: pgvector is not available \(.+\)$/),
      ])
    } else expect(setting.messages.join()).toContain("pgvector")
  })

  it.runIf(hasPgvector)("with too many dimensions for an index is searched by a scan", async () => {
    const setting = await openVectorSearch({
      name: "",
      open: () => openWithPgvector(),
      exactUpTo: 0,
    })
    onTestFinished(setting.close)
    await setting.addIndex("wide", "active")
    await setting.addFile("one")
    const vectors = [0, 1].map((at) => {
      const wide = new Float32Array(4001)
      wide[at] = 1
      return wide
    })
    const batch = { fileId: "one", indexId: "wide", first: 0, vectors }
    await setting.db.transact((tx) => setting.store.write(tx, batch))
    await setting.updateIndex()
    const [query = new Float32Array(4001)] = vectors
    const { dense } = await setting.search("wide", ["one"], query)
    expect(dense[0]).toMatchObject({ passage: 0 })
    expect(setting.messages.at(-1)).toContain("4001")
    expect(setting.errors).toEqual([])
  })

  it.runIf(hasPgvector)(
    "whose index was dropped is searched by a scan until it is rebuilt",
    async () => {
      const setting = await openVectorSearch({
        name: "",
        open: () => openWithPgvector(),
        exactUpTo: 0,
      })
      onTestFinished(setting.close)
      await setting.addIndex("space-c", "active")
      await setting.addFile("one")
      await setting.writeVectors("space-c", "one")
      await setting.updateIndex()
      const query = randomVector()
      await setting.search("space-c", ["one"], query)
      await sql`drop table passage_vectors_spacec`.execute(setting.db.read)
      const { found } = await setting.search("space-c", ["one"], query)
      expect(found.slice(0, 10)).toEqual(setting.exactNearest("space-c", ["one"], query, 10))
      expect(setting.errors).toHaveLength(1)
      await setting.updateIndex()
      expect((await setting.search("space-c", ["one"], query)).found[0]).toBe(found[0])
      expect(setting.errors).toHaveLength(1)
    },
  )
})
