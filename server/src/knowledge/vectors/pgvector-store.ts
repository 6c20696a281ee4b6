import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Database, Reader, Tx } from "../../db/database.ts"
import type { Tables } from "../../db/tables.ts"

/** The maximum number of dimensions of an index in pgvector, with half precision. */
export const maxDimensions = 4000
const batchesPerRead = 20
const lockName = "portico:passage_vectors"

export interface VectorBatch {
  fileId: string
  indexId: string
  first: number
  vectors: readonly Float32Array[]
}

export interface NearestQuery {
  values: Float32Array
  fileIds: readonly string[]
  limit: number
}

export interface NearestRow {
  file_id: string
  position: number
  score: number
}

const nameOf = (indexId: string): string => `passage_vectors_${indexId.replaceAll("-", "")}`
const indexOf = (indexId: string): string => `${nameOf(indexId)}_near`
const tableOf = (indexId: string): RawBuilder<unknown> => sql.table(nameOf(indexId))

const literal = (vector: Float32Array): string => `[${vector.join(",")}]`

const splitVectors = (exact: Uint8Array, count: number): Float32Array[] => {
  const all = new Float32Array(new Uint8Array(exact).buffer)
  const dimensions = all.length / count
  return Array.from({ length: count }, (_, at) =>
    all.subarray(at * dimensions, (at + 1) * dimensions),
  )
}

const tableExists = async (reader: Kysely<Tables>, name: string): Promise<boolean> => {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass(${name}) is not null as there`.execute(reader)
  return rows[0]?.there === true
}

/** Inserts nothing if the batch has been deleted in the meantime. */
const insert = async (
  db: Kysely<Tables>,
  { fileId, indexId, first, vectors }: VectorBatch,
): Promise<void> => {
  const positions = vectors.map((_, at) => first + at)
  await sql`
    insert into ${tableOf(indexId)} (file_id, space_id, first, position, embedding)
    select b.file_id, b.space_id, b.first, given.position, given.embedding::halfvec
    from vector_batches b,
      unnest(${positions}::integer[], ${vectors.map(literal)}::text[]) as given (position, embedding)
    where b.file_id = ${fileId} and b.space_id = ${indexId} and b.first = ${first}
    for key share of b
    on conflict do nothing`.execute(db)
}

/**
 * One table per embedding index, in half precision, derived from `vector_batches`: its rows are
 * deleted along with the batches, and it can be rebuilt at any time.
 */
export const createPgvectorStore = (db: Database) => ({
  version: async (): Promise<string | null> => {
    const { rows } = await sql<{ extversion: string }>`
      select extversion from pg_extension where extname = 'vector'`.execute(db.read)
    return rows[0]?.extversion ?? null
  },

  /** @throws if the extension is not available or not permitted */
  install: async (): Promise<void> => {
    await sql`create extension if not exists vector`.execute(db.read)
  },

  /**
   * Whether the embedding index can be searched: the database index was built over all its vectors.
   */
  isComplete: async (indexId: string): Promise<boolean> => {
    const { rows } = await sql`
      select 1 from pg_index
      where indexrelid = to_regclass(${indexOf(indexId)}) and indisvalid`.execute(db.read)
    return rows.length > 0
  },

  /** Waits for batches being written; later ones find the table. */
  createTable: (indexId: string, dimensions: number): Promise<void> =>
    db.transact(async (tx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`.execute(tx)
      await sql`
        create table if not exists ${tableOf(indexId)} (
          file_id text not null,
          space_id text not null,
          first integer not null,
          position integer not null,
          embedding halfvec(${sql.raw(String(dimensions))}) not null,
          primary key (file_id, first, position),
          foreign key (file_id, space_id, first) references vector_batches on delete cascade
        )`.execute(tx)
    }),

  /** Runs in the transaction that writes the batch; does nothing if there is no table yet. */
  add: async (tx: Tx, batch: VectorBatch): Promise<void> => {
    await sql`select pg_advisory_xact_lock_shared(hashtextextended(${lockName}, 0))`.execute(tx)
    if (await tableExists(tx, nameOf(batch.indexId))) await insert(tx, batch)
  },

  copy: async (tx: Tx, from: string, to: string, indexId: string): Promise<void> => {
    await sql`select pg_advisory_xact_lock_shared(hashtextextended(${lockName}, 0))`.execute(tx)
    if (!(await tableExists(tx, nameOf(indexId)))) return
    await sql`insert into ${tableOf(indexId)} (file_id, space_id, first, position, embedding)
      select ${to}, space_id, first, position, embedding from ${tableOf(indexId)}
      where file_id = ${from} on conflict do nothing`.execute(tx)
  },

  drop: async (tx: Tx, indexId: string): Promise<void> => {
    await sql`drop table if exists ${tableOf(indexId)}`.execute(tx)
  },

  /** Adds missing batches, such as those written before the table existed. */
  fill: async (indexId: string): Promise<void> => {
    let cursor = { file_id: "", first: -1 }
    for (;;) {
      const { rows } = await sql<{
        file_id: string
        first: number
        count: number
        exact: Uint8Array
      }>`
        select file_id, first, count, exact from vector_batches b
        where space_id = ${indexId} and (file_id, first) > (${cursor.file_id}, ${cursor.first})
          and not exists (select 1 from ${tableOf(indexId)} i
            where i.file_id = b.file_id and i.first = b.first)
        order by file_id, first limit ${batchesPerRead}`.execute(db.read)
      for (const { file_id: fileId, first, count, exact } of rows) {
        await insert(db.read, { fileId, indexId, first, vectors: splitVectors(exact, count) })
      }
      const last = rows.at(-1)
      if (!last || rows.length < batchesPerRead) return
      cursor = last
    }
  },

  /**
   * Runs `work`, then builds the database index, unless another process is doing so.
   * @returns false if another process is building it
   */
  buildIndex: (indexId: string, work: () => Promise<void>): Promise<boolean> =>
    db.runWithoutTimeout(async (connection) => {
      const lock = `${lockName}:${indexId}`
      const { rows } = await sql<{ owned: boolean }>`
        select pg_try_advisory_lock(hashtextextended(${lock}, 0)) as owned`.execute(connection)
      if (rows[0]?.owned !== true) return false
      try {
        await work()
        // An interrupted build leaves an invalid index behind.
        await sql`drop index if exists ${sql.table(indexOf(indexId))}`.execute(connection)
        await sql`create index concurrently ${sql.ref(indexOf(indexId))}
          on ${tableOf(indexId)} using hnsw (embedding halfvec_ip_ops)`.execute(connection)
      } finally {
        await sql`select pg_advisory_unlock(hashtextextended(${lock}, 0))`.execute(connection)
      }
      return true
    }),

  /** Upper bound for the number of vectors of these files; not all passages may have one yet. */
  countPassages: async (fileIds: readonly string[]): Promise<number> => {
    const { rows } = await sql<{ sum: number | null }>`
      select sum(passages) as sum from files where id = any(${fileIds}::text[])`.execute(db.read)
    return Number(rows[0]?.sum ?? 0)
  },

  /** Exact search: compares every vector of the files. */
  searchExact: async (
    indexId: string,
    { values, fileIds, limit }: NearestQuery,
  ): Promise<NearestRow[]> => {
    // Materialized, so that the planner cannot use the approximate index, which could stop too
    // early.
    const { rows } = await sql<NearestRow>`
      with scored as materialized (
        select file_id, position, -(embedding <#> ${literal(values)}::halfvec) as score
        from ${tableOf(indexId)} where file_id = any(${fileIds}::text[]))
      select file_id, position, score from scored
      order by score desc, file_id, position limit ${limit}`.execute(db.read)
    return rows
  },

  /** Approximate search by the index, which continues until enough results belong to the files. */
  searchByIndex: (
    indexId: string,
    { values, fileIds, limit }: NearestQuery,
  ): Promise<NearestRow[]> =>
    db.read.transaction().execute(async (tx) => {
      await configureSearch(tx, limit)
      const { rows } = await sql<NearestRow>`
        select file_id, position, -(embedding <#> ${literal(values)}::halfvec) as score
        from ${tableOf(indexId)} where file_id = any(${fileIds}::text[])
        order by embedding <#> ${literal(values)}::halfvec limit ${limit}`.execute(tx)
      return rows
    }),
})

const configureSearch = async (tx: Reader, limit: number): Promise<void> => {
  await sql`select
    set_config('hnsw.iterative_scan', 'relaxed_order', true),
    set_config('hnsw.ef_search', ${String(Math.min(1000, Math.max(400, limit * 4)))}, true),
    set_config('hnsw.max_scan_tuples', '200000', true),
    set_config('hnsw.scan_mem_multiplier', '4', true)`.execute(tx)
}

export type PgvectorStore = ReturnType<typeof createPgvectorStore>
