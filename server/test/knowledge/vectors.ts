import { sql } from "kysely"
import { createRandom } from "../../bench/rag/figures.ts"
import { createLocalBus } from "../../src/bus/bus.ts"
import type { Database } from "../../src/db/database.ts"
import { createPassageStore } from "../../src/files/passage-store.ts"
import { createPgvector } from "../../src/knowledge/pgvector.ts"
import { createPgvectorStore } from "../../src/knowledge/pgvector-store.ts"
import { dotProduct, toUnitVector } from "../../src/knowledge/quantization.ts"
import { combineWithIndex, createSearchClient } from "../../src/knowledge/search-client.ts"
import { createVectorStore } from "../../src/knowledge/vector-store.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { hasPgvector, openWithPgvector } from "../harness/pgvector.ts"

const dimensions = 48
const perBatch = 15
const batchesPerFile = 2
export const perFile = perBatch * batchesPerFile

interface Opened {
  db: Database
  remove: () => Promise<void>
}

interface Kind {
  name: string
  open: () => Promise<Opened>
  /** Up to this many passages pgvector scans all vectors; undefined without pgvector. */
  exactUpTo?: number
}

/** Plans that the PostgreSQL planner prefers over the index for few rows. */
const otherPlans = ["enable_seqscan", "enable_bitmapscan", "enable_sort"]

export const chooseVectorKinds = (): Kind[] => [
  ...chooseDatabases().map(({ name, open }) => ({ name: `a scan on ${name}`, open })),
  ...(hasPgvector
    ? [
        { name: "pgvector with exact search", open: () => openWithPgvector(), exactUpTo: 20_000 },
        {
          name: "pgvector with its index only",
          open: () => openWithPgvector({ disabledPlans: otherPlans }),
          exactUpTo: 0,
        },
      ]
    : []),
]

const random = createRandom(7)
export const vector = (): Float32Array =>
  toUnitVector(
    Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5),
  )

const addOwner = (db: Database): Promise<void> =>
  db.transact(async (tx) => {
    await sql`insert into users
    (id, email, email_key, name, name_key, role, active, source, created_ms, updated_ms)
    values ('owner', 'o@x.org', 'o@x.org', 'O', 'o', 'user', 1, 'local', 1, 1)`.execute(tx)
  })

const addFile = (db: Database, id: string): Promise<void> =>
  db.transact(async (tx) => {
    const names = { filename: id, filename_key: id, content_type: "text/plain", metadata: "{}" }
    const nothing = { error: null, text_length: null, pages: null, format: null }
    const state = {
      ...nothing,
      status: "completed",
      passages: perFile,
      created_at: 1,
      updated_at: 1,
    }
    const row = { id, user_id: "owner", hash: id, size: 1, ...names, ...state }
    await tx.insertInto("files").values(row).execute()
  })

export const openVectors = async ({ open, exactUpTo }: Kind) => {
  const { db, remove } = await open()
  const bus = createLocalBus()
  const said: string[] = []
  const say = (message: string): void => void said.push(message)
  const broken: Error[] = []
  const report = (error: Error): void => void broken.push(error)
  const pgvector =
    db.dialect === "postgres"
      ? createPgvector({
          store: createPgvectorStore(db),
          say,
          report,
          ...(exactUpTo !== undefined && { maxExactPassages: exactUpTo }),
        })
      : null
  await pgvector?.open()
  const store = createVectorStore(db, pgvector)
  const scan = createSearchClient({
    bus,
    passages: createPassageStore(db),
    file: db.file,
    vectorsOf: store.coarse,
  })
  const searcher = pgvector ? combineWithIndex(scan, pgvector) : scan
  await addOwner(db)
  const known = new Map<string, Float32Array[]>()

  const addSpace = (id: string, state: string): Promise<void> =>
    db.transact((tx) =>
      store.addIndex(tx, { id, model: id, state, dimensions: null, created_at: 1 }),
    )

  const put = async (spaceId: string, fileId: string): Promise<void> => {
    for (let batch = 0; batch < batchesPerFile; batch++) {
      const vectors = Array.from({ length: perBatch }, vector)
      const key = `${spaceId} ${fileId}`
      known.set(key, [...(known.get(key) ?? []), ...vectors])
      const first = batch * perBatch
      await db.transact((tx) => store.write(tx, { fileId, spaceId, first, vectors }))
    }
  }

  return {
    db,
    store,
    pgvector,
    said: said,
    broken: broken,
    addSpace: addSpace,
    put: put,
    addFile: (id: string) => addFile(db, id),
    catchUp: async (): Promise<void> => pgvector?.catchUp(await store.indexes()),

    /** Results of the searcher as `file passage`, ordered by exact score. */
    find: async (space: string, files: readonly string[], values: Float32Array, limit = 100) => {
      const { dense } = await searcher.search({
        query: "",
        files: files.map((id) => ({ id, filename: id })),
        limit,
        vector: { indexId: space, values },
        lexical: false,
      })
      const scored = dense.map(({ file, passage }) => {
        const id = files[file] ?? ""
        const exact = known.get(`${space} ${id}`)?.[passage]
        return { at: `${id} ${passage}`, score: exact ? dotProduct(values, exact) : Number.NaN }
      })
      return { found: scored.sort((a, z) => z.score - a.score).map(({ at }) => at), dense }
    },

    /** The expected results, by exact scores of all vectors. */
    nearest: (space: string, files: readonly string[], values: Float32Array, limit: number) =>
      files
        .flatMap((id) =>
          (known.get(`${space} ${id}`) ?? []).map((one, passage) => ({
            at: `${id} ${passage}`,
            score: dotProduct(values, one),
          })),
        )
        .sort((a, z) => z.score - a.score)
        .slice(0, limit)
        .map(({ at }) => at),

    close: async (): Promise<void> => {
      await searcher.close()
      await remove()
    },
  }
}
