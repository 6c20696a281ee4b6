import { dotProduct, toUnitVector } from "@portico/search"
import { sql } from "kysely"
import { createBackgroundTasks } from "../../src/background/background-tasks.ts"
import { createLocalBus } from "../../src/bus/bus.ts"
import type { Database } from "../../src/db/database.ts"
import { createPassageStore } from "../../src/files/passage-store.ts"
import { combineWithIndex, createSearchClient } from "../../src/knowledge/search/search-client.ts"
import { createPgvector } from "../../src/knowledge/vectors/pgvector.ts"
import { createPgvectorStore } from "../../src/knowledge/vectors/pgvector-store.ts"
import { createVectorStore } from "../../src/knowledge/vectors/vector-store.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { hasPgvector, openWithPgvector } from "../harness/pgvector.ts"
import { createRandom } from "../harness/random.ts"

const dimensions = 48
const passagesPerBatch = 15
const batchesPerFile = 2
export const passagesPerFile = passagesPerBatch * batchesPerFile

interface OpenedDatabase {
  db: Database
  remove: () => Promise<void>
}

interface VectorBackend {
  name: string
  open: () => Promise<OpenedDatabase>
  /** Up to this many passages pgvector scans all vectors; undefined without pgvector. */
  exactUpTo?: number
}

/** Plans that the PostgreSQL planner prefers over the index for few rows. */
const disabledPlans = ["enable_seqscan", "enable_bitmapscan", "enable_sort"]

export const chooseVectorBackends = (): VectorBackend[] => [
  ...chooseDatabases().map(({ name, open }) => ({ name: `a scan on ${name}`, open })),
  ...(hasPgvector
    ? [
        { name: "pgvector with exact search", open: () => openWithPgvector(), exactUpTo: 20_000 },
        {
          name: "pgvector with its index only",
          open: () => openWithPgvector({ disabledPlans }),
          exactUpTo: 0,
        },
      ]
    : []),
]

const random = createRandom(7)
export const randomVector = (): Float32Array =>
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
    const nothing = { error: null, error_code: null, text_length: null, pages: null, format: null }
    const state = {
      ...nothing,
      status: "completed",
      passages: passagesPerFile,
      created_at: 1,
      updated_at: 1,
    }
    const row = { id, user_id: "owner", hash: id, size: 1, ...names, ...state }
    await tx.insertInto("files").values(row).execute()
  })

export const openVectorSearch = async ({ open, exactUpTo }: VectorBackend) => {
  const { db, remove } = await open()
  const messages: string[] = []
  const errors: Error[] = []
  const log = {
    info: (message: string) => void messages.push(message),
    error: (_: object, message: string) => void errors.push(new Error(message)),
  }
  const background = createBackgroundTasks({ log })
  const bus = createLocalBus(background)
  const pgvector =
    db.dialect === "postgres"
      ? createPgvector({
          background,
          store: createPgvectorStore(db),
          log,
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
  const vectorsByFile = new Map<string, Float32Array[]>()

  const addIndex = (id: string, state: string): Promise<void> =>
    db.transact((tx) =>
      store.addIndex(tx, { id, model: id, state, dimensions: null, created_at: 1 }),
    )

  const writeVectors = async (indexId: string, fileId: string): Promise<void> => {
    for (let batch = 0; batch < batchesPerFile; batch++) {
      const vectors = Array.from({ length: passagesPerBatch }, randomVector)
      const key = `${indexId} ${fileId}`
      vectorsByFile.set(key, [...(vectorsByFile.get(key) ?? []), ...vectors])
      const first = batch * passagesPerBatch
      await db.transact((tx) => store.write(tx, { fileId, indexId, first, vectors }))
    }
  }

  return {
    db,
    store,
    pgvector,
    messages,
    errors,
    addIndex,
    writeVectors,
    addFile: (id: string) => addFile(db, id),
    updateIndex: async (): Promise<void> => pgvector?.catchUp(await store.indexes()),

    /** Results of the searcher as `file passage`, ordered by exact score. */
    search: async (
      embeddingIndex: string,
      files: readonly string[],
      values: Float32Array,
      limit = 100,
    ) => {
      const { dense } = await searcher.search({
        query: "",
        files: files.map((id) => ({ id, filename: id })),
        limit,
        vector: { indexId: embeddingIndex, values },
        lexical: false,
      })
      const scored = dense.map(({ file, passage }) => {
        const id = files[file] ?? ""
        const exact = vectorsByFile.get(`${embeddingIndex} ${id}`)?.[passage]
        return { at: `${id} ${passage}`, score: exact ? dotProduct(values, exact) : Number.NaN }
      })
      return { found: scored.sort((a, z) => z.score - a.score).map(({ at }) => at), dense }
    },

    /** The expected results, by exact scores of all vectors. */
    exactNearest: (
      embeddingIndex: string,
      files: readonly string[],
      values: Float32Array,
      limit: number,
    ) =>
      files
        .flatMap((id) =>
          (vectorsByFile.get(`${embeddingIndex} ${id}`) ?? []).map((one, passage) => ({
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
