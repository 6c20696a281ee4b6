import { mergeQuantizedVectors, packQuantizedVectors } from "@portico/search"
import { type Selectable, sql } from "kysely"
import { readInChunks } from "../../db/chunked-queries.ts"
import type { Database, Reader, Tx } from "../../db/database.ts"
import type { EmbeddingIndexRow, FileRow } from "../../db/file-tables.ts"
import type { SearchData } from "../search/search-protocol.ts"
import type { Pgvector } from "./pgvector.ts"
import type { VectorBatch } from "./pgvector-store.ts"

export type EmbeddingIndex = Selectable<EmbeddingIndexRow>
/** A file with passages that have no vector. */
export type IncompleteFile = Pick<Selectable<FileRow>, "id" | "hash" | "user_id">

/** What the job that embeds a file for an index is called. */
export const embedJobTarget = (indexId: string, fileId: string): string => `${indexId} ${fileId}`

const bytesOf = (vectors: readonly Float32Array[]): Buffer =>
  Buffer.concat(
    vectors.map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength),
    ),
  )

/** Whether a file is searchable by keywords but incomplete in an embedding index. */
const isIncomplete = (indexId: string) => sql`
  passages is not null and status <> 'failed' and passages >
    (select coalesce(sum(count), 0) from vector_batches
     where file_id = files.id and space_id = ${indexId})`

/**
 * Stores vectors of passages, by file and embedding index, in the batches in which they were
 * created.
 * @param pgvector has a copy of the vectors, updated in the same transactions as the batches
 */
export const createVectorStore = (db: Database, pgvector: Pgvector | null) => ({
  indexes: (reader: Reader = db.read): Promise<EmbeddingIndex[]> =>
    reader.selectFrom("vector_spaces").selectAll().orderBy("created_at").orderBy("id").execute(),

  addIndex: async (tx: Tx, index: EmbeddingIndex): Promise<void> => {
    await tx.insertInto("vector_spaces").values(index).execute()
  },

  /** Activates an embedding index and deletes the others with all their vectors. */
  activate: async (tx: Tx, id: string): Promise<void> => {
    const others = tx.selectFrom("vector_spaces").select("id").where("id", "!=", id)
    for (const other of await others.execute()) await pgvector?.drop(tx, other.id)
    await tx.updateTable("vector_spaces").set({ state: "active" }).where("id", "=", id).execute()
    await tx.deleteFrom("vector_batches").where("space_id", "!=", id).execute()
    await tx.deleteFrom("vector_spaces").where("id", "!=", id).execute()
  },

  /** Deletes the index that is being built. */
  dropBuilding: async (tx: Tx): Promise<void> => {
    const building = tx.selectFrom("vector_spaces").select("id").where("state", "=", "building")
    for (const { id } of await building.execute()) await pgvector?.drop(tx, id)
    await tx.deleteFrom("vector_batches").where("space_id", "in", building).execute()
    await tx.deleteFrom("vector_spaces").where("state", "=", "building").execute()
  },

  write: async (tx: Tx, batch: VectorBatch): Promise<void> => {
    const { fileId, indexId, first, vectors } = batch
    await tx
      .insertInto("vector_batches")
      .values({
        file_id: fileId,
        space_id: indexId,
        first,
        count: vectors.length,
        coarse: Buffer.from(packQuantizedVectors(vectors)),
        exact: bytesOf(vectors),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await tx
      .updateTable("vector_spaces")
      .set({ dimensions: vectors[0]?.length ?? 0 })
      .where("id", "=", indexId)
      .where("dimensions", "is", null)
      .execute()
    await pgvector?.add(tx, batch)
  },

  /** Number of a file's passages that have a vector, from the first on. */
  countEmbedded: async (fileId: string, indexId: string): Promise<number> => {
    const { sum } = await db.read
      .selectFrom("vector_batches")
      .select(({ fn }) => fn.sum<number | null>("count").as("sum"))
      .where("file_id", "=", fileId)
      .where("space_id", "=", indexId)
      .executeTakeFirstOrThrow()
    return Number(sum ?? 0)
  },

  /** Copies the vectors of another file with the same bytes. */
  copy: async (tx: Tx, from: string, to: string, indexId: string): Promise<void> => {
    await sql`insert into vector_batches (file_id, space_id, first, count, coarse, exact)
      select ${to}, space_id, first, count, coarse, exact from vector_batches
      where file_id = ${from} and space_id = ${indexId}
      on conflict do nothing`.execute(tx)
    await pgvector?.copy(tx, from, to, indexId)
  },

  /** Whether any file is searchable by keywords but incomplete in an index. */
  hasIncompleteFiles: async (indexId: string): Promise<boolean> => {
    const { rows } = await sql`
      select id from files where ${isIncomplete(indexId)} limit 1`.execute(db.read)
    return rows.length > 0
  },

  /** Incomplete files that no job embeds: adding a job again would restart its attempts. */
  incompleteFilesWithoutJob: async (indexId: string, limit: number): Promise<IncompleteFile[]> => {
    const { rows } = await sql<IncompleteFile>`
      select id, hash, user_id from files where ${isIncomplete(indexId)}
        and not exists (select 1 from jobs
          where kind = 'embed' and target = ${embedJobTarget(indexId, "")} || files.id)
      order by id limit ${limit}`.execute(db.read)
    return rows
  },

  /** Files that are complete in an index, but still marked as if they were not. */
  unmarkedFiles: async (
    indexId: string,
  ): Promise<Pick<Selectable<FileRow>, "id" | "text_revision">[]> => {
    const { rows } = await sql<Pick<Selectable<FileRow>, "id" | "text_revision">>`
      select id, text_revision from files where embedding is not null and passages is not null
        and passages <= (select coalesce(sum(count), 0) from vector_batches
          where file_id = files.id and space_id = ${indexId})`.execute(db.backgroundReader)
    return rows
  },

  /** Ids of the files that are searchable but incomplete in an index. */
  incompleteFileIds: async (indexId: string): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      select id from files where ${isIncomplete(indexId)}`.execute(db.backgroundReader)
    return rows.map(({ id }) => id)
  },

  /** Number of searchable passages, and how many of them have a vector in the index. */
  progress: async (indexId: string): Promise<{ done: number; total: number }> => {
    const { rows } = await sql<{ done: number | null; total: number | null }>`
      select (select sum(passages) from files where status <> 'failed') as total,
        (select sum(count) from vector_batches where space_id = ${indexId}) as done`.execute(
      db.backgroundReader,
    )
    return { done: Number(rows[0]?.done ?? 0), total: Number(rows[0]?.total ?? 0) }
  },

  /** Quantized vectors for the scan. */
  coarse: (indexId: string, fileIds: readonly string[]): Promise<SearchData["vectors"]> =>
    readInChunks(fileIds, async (chunk) => {
      const rows = await db.read
        .selectFrom("vector_batches")
        .select(["file_id", "count", "coarse as data"])
        .where("space_id", "=", indexId)
        .where("file_id", "in", chunk)
        .orderBy("file_id")
        .orderBy("first")
        .execute()
      const packsByFile = Map.groupBy(rows, ({ file_id }) => file_id)
      return [...packsByFile].map(([id, packs]) => ({ id, ...mergeQuantizedVectors(packs) }))
    }),

  /** The exact vector of one passage. */
  exact: async (
    indexId: string,
    { fileId, passage, dimensions }: { fileId: string; passage: number; dimensions: number },
  ): Promise<Float32Array | null> => {
    const bytes = dimensions * 4
    const { rows } = await sql<{ part: Uint8Array }>`
      select substr(exact, cast((${passage} - first) * ${bytes} + 1 as integer),
        cast(${bytes} as integer)) as part
      from vector_batches where space_id = ${indexId} and file_id = ${fileId}
        and first <= ${passage} and first + count > ${passage}`.execute(db.read)
    const part = rows[0]?.part
    return part ? new Float32Array(new Uint8Array(part).buffer) : null
  },
})

export type VectorStore = ReturnType<typeof createVectorStore>
