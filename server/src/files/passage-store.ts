import type { ExtractedText } from "@portico/extract"
import { type Selectable, sql } from "kysely"
import { readInChunks } from "../db/chunked-queries.ts"
import type { Database, Tx } from "../db/database.ts"
import type { PassageRow } from "../db/file-tables.ts"

/** Rows per insert; small batches, so that other writers do not wait long. */
const rowsPerStatement = 100

export type StoredPassage = Selectable<PassageRow>

/** The passages of a file, in batches. */
const toRows = function* (
  fileId: string,
  { text, passages }: ExtractedText,
): Generator<StoredPassage[]> {
  for (let at = 0; at < passages.length; at += rowsPerStatement) {
    yield passages.slice(at, at + rowsPerStatement).map(({ starts, ends, location }, row) => ({
      file_id: fileId,
      position: at + row,
      starts,
      ends,
      text: text.slice(starts, ends),
      place: location,
    }))
  }
}

/** The texts, passages and lexical segments of files. */
export interface PassageStore {
  clear(tx: Tx, fileId: string): Promise<void>
  /**
   * Stores a file's text and passages in several transactions. They are not visible until
   * `files.passages` is set.
   * @param lock called in each transaction; throws if the text may not be written any more
   */
  write(fileId: string, extracted: ExtractedText, lock: (tx: Tx) => Promise<void>): Promise<void>
  /** Same as `write`, in place of the file's present text. */
  replace(tx: Tx, fileId: string, extracted: ExtractedText): Promise<void>
  /** Replaces the lexical segment of passages that stay the same. */
  setSegment(tx: Tx, fileId: string, segment: Uint8Array): Promise<void>
  /** Whether the file has the same text and passages already. */
  isSame(fileId: string, extracted: ExtractedText): Promise<boolean>
  /** Whether two files have the same passages. */
  areSame(tx: Tx, one: string, other: string): Promise<boolean>
  /** Copies the text and passages of a file with the same content. */
  copy(tx: Tx, from: string, to: string): Promise<void>
  indexSegments(fileIds: readonly string[]): Promise<{ file_id: string; data: Uint8Array }[]>
  /** Passages of one file, in order. */
  byFile(fileId: string, positions: readonly number[]): Promise<StoredPassage[]>
  /** All passages of several files, grouped by file, in order. */
  byFiles(fileIds: readonly string[]): Promise<Map<string, StoredPassage[]>>
  /** The first `characters` characters of each file's first passage, by file id. */
  openings(fileIds: readonly string[], characters: number): Promise<Map<string, string>>
  /** The first `count` passages of each file, joined. */
  beginnings(fileIds: readonly string[], count: number): Promise<Map<string, string>>
  /** Position of the last passage that starts at or before `offset`. */
  positionAt(fileId: string, offset: number): Promise<number>
  /** Location of each passage of a file, in order. */
  locations(fileId: string): Promise<Pick<StoredPassage, "position" | "starts" | "place">[]>
  /** Passages of one file, starting at position `first`. */
  startingAt(fileId: string, first: number, limit: number): Promise<StoredPassage[]>
}

export const createPassageStore = (db: Database): PassageStore => {
  const passagesOf = (fileId: string) =>
    db.read.selectFrom("passages").where("file_id", "=", fileId)

  const clear: PassageStore["clear"] = async (tx, fileId) => {
    for (const table of ["vector_batches", "file_words", "passages", "file_texts"] as const) {
      await tx.deleteFrom(table).where("file_id", "=", fileId).execute()
    }
  }

  const writeText = async (
    tx: Tx,
    fileId: string,
    { text, index }: ExtractedText,
  ): Promise<void> => {
    await clear(tx, fileId)
    await tx.insertInto("file_texts").values({ file_id: fileId, text }).execute()
    await tx.insertInto("file_words").values({ file_id: fileId, data: index }).execute()
  }

  const insertPassages = async (tx: Tx, rows: readonly StoredPassage[]): Promise<void> => {
    await tx
      .insertInto("passages")
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  return {
    clear,

    write: async (fileId, extracted, lock) => {
      await db.transactRelaxed(async (tx) => {
        await lock(tx)
        await writeText(tx, fileId, extracted)
      })
      for (const rows of toRows(fileId, extracted)) {
        await db.transactRelaxed(async (tx) => {
          await lock(tx)
          await insertPassages(tx, rows)
        })
      }
    },

    replace: async (tx, fileId, extracted) => {
      await writeText(tx, fileId, extracted)
      for (const rows of toRows(fileId, extracted)) await insertPassages(tx, rows)
    },

    setSegment: async (tx, fileId, data) => {
      await tx.updateTable("file_words").set({ data }).where("file_id", "=", fileId).execute()
    },

    isSame: async (fileId, { text, passages }) => {
      const texts = db.read.selectFrom("file_texts").select("text").where("file_id", "=", fileId)
      if ((await texts.executeTakeFirst())?.text !== text) return false
      const stored = await passagesOf(fileId)
        .select(["starts", "ends", "place"])
        .orderBy("position")
        .execute()
      return (
        stored.length === passages.length &&
        passages.every(({ starts, ends, location }, at) => {
          const same = stored[at]
          return same?.starts === starts && same.ends === ends && same.place === location
        })
      )
    },

    areSame: async (tx, one, other) => {
      const { rows } = await sql<Record<"ofOne" | "ofOther" | "same", number>>`
        select (select count(*) from passages where file_id = ${one}) as "ofOne",
          (select count(*) from passages where file_id = ${other}) as "ofOther",
          (select count(*) from passages a join passages b on b.file_id = ${other}
            and b.position = a.position and b.text = a.text and b.place = a.place
            where a.file_id = ${one}) as "same"`.execute(tx)
      return rows.every(
        ({ ofOne, ofOther, same }) =>
          Number(ofOne) === Number(same) && Number(ofOther) === Number(same),
      )
    },

    copy: async (tx, from, to) => {
      await clear(tx, to)
      await sql`insert into file_texts (file_id, text)
        select ${to}, text from file_texts where file_id = ${from}`.execute(tx)
      await sql`insert into passages (file_id, position, starts, ends, text, place)
        select ${to}, position, starts, ends, text, place from passages
        where file_id = ${from}`.execute(tx)
      await sql`insert into file_words (file_id, data)
        select ${to}, data from file_words where file_id = ${from}`.execute(tx)
    },

    indexSegments: (fileIds) =>
      readInChunks(fileIds, (chunk) =>
        db.read.selectFrom("file_words").selectAll().where("file_id", "in", chunk).execute(),
      ),

    byFile: (fileId, positions) =>
      passagesOf(fileId)
        .where("position", "in", positions)
        .selectAll()
        .orderBy("position")
        .execute(),

    byFiles: async (fileIds) => {
      const rows = await readInChunks(fileIds, (chunk) =>
        db.read
          .selectFrom("passages")
          .selectAll()
          .where("file_id", "in", chunk)
          .orderBy("file_id")
          .orderBy("position")
          .execute(),
      )
      return Map.groupBy(rows, ({ file_id }) => file_id)
    },

    openings: async (fileIds, characters) => {
      const rows = await readInChunks(fileIds, (chunk) =>
        db.read
          .selectFrom("passages")
          .select(["file_id", sql<string>`substr(text, 1, ${characters})`.as("beginning")])
          .where("file_id", "in", chunk)
          .where("position", "=", 0)
          .execute(),
      )
      return new Map(rows.map(({ file_id, beginning }) => [file_id, beginning]))
    },

    beginnings: async (fileIds, count) => {
      const rows = await readInChunks(fileIds, (chunk) =>
        db.read
          .selectFrom("passages")
          .select(["file_id", "text"])
          .where("file_id", "in", chunk)
          .where("position", "<", count)
          .orderBy("file_id")
          .orderBy("position")
          .execute(),
      )
      const byFile = Map.groupBy(rows, ({ file_id }) => file_id)
      return new Map(
        [...byFile].map(([id, passages]) => [id, passages.map(({ text }) => text).join("\n")]),
      )
    },

    positionAt: async (fileId, offset) => {
      const { position } = await passagesOf(fileId)
        .select(({ fn }) => fn.max("position").as("position"))
        .where("starts", "<=", offset)
        .executeTakeFirstOrThrow()
      return Number(position ?? 0)
    },

    locations: (fileId) =>
      passagesOf(fileId).select(["position", "starts", "place"]).orderBy("position").execute(),

    startingAt: (fileId, first, limit) =>
      passagesOf(fileId)
        .selectAll()
        .where("position", ">=", first)
        .orderBy("position")
        .limit(limit)
        .execute(),
  }
}
