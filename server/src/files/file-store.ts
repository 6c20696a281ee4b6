import type { ExpressionBuilder, Selectable } from "kysely"
import { orderByIds, readInChunks } from "../db/chunked-queries.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { FileRow } from "../db/file-tables.ts"
import type { Tables } from "../db/tables.ts"
import { columnContains } from "../db/text-matching.ts"
import { MessageReference } from "../http/message-reference.ts"
import type { Page } from "../http/pagination.ts"
import { type FileListQuery, type FileRecord, FileStatus, ProcessingErrorCode } from "./schema.ts"

export type StoredFile = Selectable<FileRow> & { embedded: number | null }

/** Columns that a search needs; the list may be very long. */
export const fileSummaryColumns = [
  "files.id",
  "files.filename",
  "files.status",
  "files.passages",
  "files.text_length",
  "files.error",
] as const
export type FileSummary = Pick<
  StoredFile,
  "id" | "filename" | "status" | "passages" | "text_length" | "error"
>

/** Number of a file's passages that have a vector. */
export const embeddedCount = (eb: ExpressionBuilder<Tables, "files">) =>
  eb
    .selectFrom("vector_batches")
    .innerJoin("vector_spaces", "vector_spaces.id", "vector_batches.space_id")
    .whereRef("vector_batches.file_id", "=", "files.id")
    .where("vector_spaces.state", "=", "active")
    .select(({ fn }) => fn.sum<number>("vector_batches.count").as("sum"))
    .as("embedded")

/** Of a file whose processing did not fail, or has begun again. */
export const noProcessingError = { error: null, error_code: null, error_reference: null } as const

/** What pages translate a file's error by. */
export const errorReferenceOf = ({
  error_reference,
}: Pick<StoredFile, "error_reference">): MessageReference | null =>
  error_reference === null ? null : MessageReference.parse(JSON.parse(error_reference))

export const toFileRecord = (row: StoredFile): FileRecord => ({
  id: row.id,
  user_id: row.user_id,
  filename: row.filename,
  hash: row.hash,
  meta: {
    name: row.filename,
    content_type: row.content_type,
    size: row.size,
    format: row.format,
    data: JSON.parse(row.metadata),
  },
  data: {
    status: FileStatus.parse(row.status),
    error: row.error,
    error_code: ProcessingErrorCode.nullable().parse(row.error_code),
    error_reference: errorReferenceOf(row),
    progress: { pages: row.pages, passages: row.passages, embedded: Number(row.embedded ?? 0) },
  },
  created_at: row.created_at,
  updated_at: row.updated_at,
})

const selectFiles = (reader: Reader) => reader.selectFrom("files").selectAll().select(embeddedCount)

const readByIds = (db: Database, ids: readonly string[]): Promise<StoredFile[]> =>
  readInChunks(ids, (chunk) => selectFiles(db.read).where("id", "in", chunk).execute())

/**
 * Only a single user's files in order of time are indexed; other lists scan many rows, so they run
 * in the background reader.
 */
const readerForList = (db: Database, owner: string | null, query: FileListQuery): Reader => {
  const isIndexed = owner !== null && query.order_by === "created_at"
  return isIndexed && !query.status && !query.query ? db.read : db.backgroundReader
}

export const createFileStore = (db: Database) => ({
  byId: (id: string, reader: Reader = db.read): Promise<StoredFile | undefined> =>
    selectFiles(reader).where("id", "=", id).executeTakeFirst(),

  byIds: (ids: readonly string[]): Promise<StoredFile[]> => readByIds(db, ids),

  summaries: (ids: readonly string[]): Promise<FileSummary[]> =>
    readInChunks(ids, (chunk) =>
      db.read.selectFrom("files").select(fileSummaryColumns).where("id", "in", chunk).execute(),
    ),

  /** Owners of the existing files. */
  owners: (
    ids: readonly string[],
    reader: Reader = db.read,
  ): Promise<Pick<StoredFile, "id" | "user_id">[]> =>
    readInChunks(ids, (chunk) =>
      reader.selectFrom("files").select(["id", "user_id"]).where("id", "in", chunk).execute(),
    ),

  /** @param owner null lists the files of all users */
  list: async (owner: string | null, query: FileListQuery): Promise<Page<FileRecord>> => {
    let matching = readerForList(db, owner, query).selectFrom("files")
    if (owner !== null) matching = matching.where("user_id", "=", owner)
    if (query.status) matching = matching.where("status", "in", query.status)
    if (query.query) matching = matching.where(columnContains("filename_key", query.query))
    const { total } = await matching
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow()
    const page = await matching
      .select("id")
      .orderBy(query.order_by === "filename" ? "filename_key" : query.order_by, query.direction)
      .orderBy("id", query.direction)
      .limit(query.page_size)
      .offset((query.page - 1) * query.page_size)
      .execute()
    const ids = page.map(({ id }) => id)
    const rows = await readByIds(db, ids)
    return { items: orderByIds(ids, rows).map(toFileRecord), total }
  },

  insert: async (tx: Tx, row: Selectable<FileRow>): Promise<void> => {
    await tx.insertInto("files").values(row).execute()
  },

  /** @returns false if the file was deleted */
  set: async (tx: Tx, id: string, changes: Partial<Selectable<FileRow>>): Promise<boolean> => {
    const found = await tx
      .updateTable("files")
      .set(changes)
      .where("id", "=", id)
      .returning("id")
      .executeTakeFirst()
    return found !== undefined
  },

  remove: async (tx: Tx, id: string): Promise<boolean> => {
    const deleted = await tx.deleteFrom("files").where("id", "=", id).returning("id").execute()
    return deleted.length > 0
  },

  /** Whether any file references this content. */
  isHashUsed: async (hash: string, reader: Reader = db.read): Promise<boolean> => {
    const found = await reader
      .selectFrom("files")
      .select("id")
      .where("hash", "=", hash)
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  },

  /** Another file with the same content and extension that is already searchable. */
  findDuplicate: (file: StoredFile): Promise<StoredFile | undefined> =>
    selectFiles(db.read)
      .where("hash", "=", file.hash)
      .where("id", "!=", file.id)
      .where("passages", "is not", null)
      .orderBy("created_at")
      .limit(50)
      .execute()
      .then((rows) => rows.find((row) => extensionOf(row.filename) === extensionOf(file.filename))),

  /** Searchable files, newest first, with at most `max` passages in total. */
  searchable: async (max: number) => {
    const rows = await db.read
      .selectFrom("files")
      .select(["id", "filename", "passages"])
      .where("passages", "is not", null)
      .orderBy("updated_at", "desc")
      .limit(max)
      .execute()
    let remaining = max
    return rows
      .map((row) => ({ ...row, passages: row.passages ?? 0 }))
      .filter(({ passages }) => {
        remaining -= passages
        return remaining >= 0
      })
  },

  text: async (id: string): Promise<string | undefined> => {
    const row = await db.read
      .selectFrom("file_texts")
      .select("text")
      .where("file_id", "=", id)
      .executeTakeFirst()
    return row?.text
  },
})

const extensionOf = (filename: string): string => /\.[^.]*$/.exec(filename)?.[0].toLowerCase() ?? ""

export type FileStore = ReturnType<typeof createFileStore>
