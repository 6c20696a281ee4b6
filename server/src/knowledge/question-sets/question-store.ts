import type { Selectable } from "kysely"
import { readInChunks } from "../../db/chunked-queries.ts"
import type { Database, Reader, Tx } from "../../db/database.ts"
import { countRows, readPage } from "../../db/paged-queries.ts"
import type { CollectionQuestionRow } from "../../db/question-tables.ts"
import { columnContainsFolding } from "../../db/text-matching.ts"
import type { Page } from "../../http/pagination.ts"
import type { QuestionHistory } from "./compare-results.ts"
import {
  type CollectionQuestion,
  type QuestionListQuery,
  QuestionResult,
  type QuestionSetStatus,
  QuestionState,
} from "./schema.ts"

export type StoredQuestion = Selectable<CollectionQuestionRow>

const rowsPerStatement = 50

/** Of a question that no run has judged since it was written or changed. */
export const notJudged = {
  state: "unjudged",
  result: null,
  result_before: null,
  reached_at: null,
  pending_run_id: null,
  pending_result: null,
} as const

export const parseResult = (stored: string | null): QuestionResult | null =>
  stored === null ? null : QuestionResult.parse(JSON.parse(stored))

export const toQuestion = (row: StoredQuestion): CollectionQuestion => ({
  id: row.id,
  question: row.question,
  previous: row.previous,
  file_id: row.file_id,
  filename: row.filename,
  quotation: row.quotation,
  note: row.note,
  state: QuestionState.parse(row.state),
  result: parseResult(row.result),
  result_before: parseResult(row.result_before),
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** The bytes that a question counts toward its owner's storage. */
export const questionBytes = ({
  question,
  previous,
  quotation,
  note,
}: Pick<StoredQuestion, "question" | "previous" | "quotation" | "note">): number =>
  [question, previous, quotation, note].reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** The questions of collections, in order. */
export const createQuestionStore = (db: Database) => {
  const inCollection = (collectionId: string, reader: Reader = db.read) =>
    reader.selectFrom("collection_questions").where("collection_id", "=", collectionId)

  return {
    byId: (collectionId: string, id: string, reader?: Reader) =>
      inCollection(collectionId, reader).selectAll().where("id", "=", id).executeTakeFirst(),

    all: (collectionId: string, reader?: Reader): Promise<StoredQuestion[]> =>
      inCollection(collectionId, reader).selectAll().orderBy("position").orderBy("id").execute(),

    page: (
      collectionId: string,
      { state, query, ...page }: QuestionListQuery,
    ): Promise<Page<StoredQuestion>> => {
      const all = inCollection(collectionId, query ? db.backgroundReader : db.read)
      let matching = all.selectAll().orderBy("position").orderBy("id")
      if (state) matching = matching.where("state", "=", state)
      if (query) matching = matching.where(columnContainsFolding("question", query))
      return readPage(matching, page)
    },

    /** Number of questions by state. */
    counts: async (collectionId: string): Promise<QuestionSetStatus["counts"]> => {
      const rows = await inCollection(collectionId)
        .select(["state", ({ fn }) => fn.countAll<number>().as("questions")])
        .groupBy("state")
        .execute()
      const counts = { unjudged: 0, reached: 0, lost: 0, missed: 0, undecided: 0 }
      for (const { state, questions } of rows) counts[QuestionState.parse(state)] = questions
      return counts
    },

    /** Number of questions that got worse, by collection. */
    countLost: async (collectionIds: readonly string[]): Promise<ReadonlyMap<string, number>> => {
      const rows = await readInChunks(collectionIds, (chunk) =>
        db.read
          .selectFrom("collection_questions")
          .select(["collection_id", ({ fn }) => fn.countAll<number>().as("questions")])
          .where("collection_id", "in", chunk)
          .where("state", "=", "lost")
          .groupBy("collection_id")
          .execute(),
      )
      return new Map(rows.map(({ collection_id, questions }) => [collection_id, questions]))
    },

    count: (collectionId: string, reader?: Reader): Promise<number> =>
      countRows(inCollection(collectionId, reader)),

    hasAny: async (
      collectionId: string,
      state: "unjudged" | "undecided",
      reader?: Reader,
    ): Promise<boolean> => {
      const found = inCollection(collectionId, reader).where("state", "=", state)
      return (await found.select("id").limit(1).executeTakeFirst()) !== undefined
    },

    countJudged: (collectionId: string, runId: string): Promise<number> =>
      countRows(inCollection(collectionId).where("pending_run_id", "=", runId)),

    nextPosition: async (tx: Tx, collectionId: string): Promise<number> => {
      const last = inCollection(collectionId, tx).select(({ fn }) => fn.max("position").as("last"))
      return ((await last.executeTakeFirst())?.last ?? -1) + 1
    },

    insert: async (tx: Tx, rows: readonly StoredQuestion[]): Promise<void> => {
      for (let from = 0; from < rows.length; from += rowsPerStatement) {
        const chunk = rows.slice(from, from + rowsPerStatement)
        await tx.insertInto("collection_questions").values(chunk).execute()
      }
    },

    /** Stores what a run in progress has judged, unless the question was changed meanwhile. */
    setJudged: async (
      tx: Tx,
      { id, revision }: Pick<StoredQuestion, "id" | "revision">,
      judged: { runId: string; result: QuestionResult },
    ): Promise<void> => {
      await tx
        .updateTable("collection_questions")
        .set({ pending_run_id: judged.runId, pending_result: JSON.stringify(judged.result) })
        .where("id", "=", id)
        .where("revision", "=", revision)
        .execute()
    },

    /** Keeps the decided results for a run that would find the same. */
    reuseResults: async (tx: Tx, collectionId: string, runId: string): Promise<void> => {
      await tx
        .updateTable("collection_questions")
        .set(({ ref }) => ({ pending_run_id: runId, pending_result: ref("result") }))
        .where("collection_id", "=", collectionId)
        .where("state", "not in", ["unjudged", "undecided"])
        .execute()
    },

    /**
     * Moves what a run has judged into the results; a file that replaced an expected one is expected
     * from now on.
     */
    setResults: async (
      tx: Tx,
      compared: readonly (QuestionHistory & {
        id: string
        result: QuestionResult
        state: QuestionState
      })[],
    ): Promise<void> => {
      for (const { id, result, result_before, state, reached_at } of compared) {
        const changes = {
          ...{ state, reached_at, pending_run_id: null, pending_result: null },
          ...(result.file_id !== null && { file_id: result.file_id }),
          result: JSON.stringify(result),
          result_before: result_before && JSON.stringify(result_before),
        }
        await tx.updateTable("collection_questions").set(changes).where("id", "=", id).execute()
      }
    },

    /** Does nothing if the question was deleted. */
    set: async (tx: Tx, id: string, changes: Partial<StoredQuestion>): Promise<void> => {
      await tx.updateTable("collection_questions").set(changes).where("id", "=", id).execute()
    },

    remove: async (tx: Tx, collectionId: string, id: string): Promise<boolean> => {
      const deleted = await tx
        .deleteFrom("collection_questions")
        .where("collection_id", "=", collectionId)
        .where("id", "=", id)
        .returning("id")
        .execute()
      return deleted.length > 0
    },

    /** Forgets what an interrupted run has judged. */
    discardJudged: async (tx: Tx, collectionId: string): Promise<void> => {
      await tx
        .updateTable("collection_questions")
        .set({ pending_run_id: null, pending_result: null })
        .where("collection_id", "=", collectionId)
        .where("pending_run_id", "is not", null)
        .execute()
    },

    /** The collections with questions. */
    collections: async (): Promise<string[]> => {
      const ids = db.read.selectFrom("collection_questions").select("collection_id").distinct()
      return (await ids.execute()).map(({ collection_id }) => collection_id)
    },

    /** The collections with questions that contain any of the files. */
    collectionsOfFiles: async (fileIds: readonly string[]): Promise<string[]> => {
      const rows = await readInChunks(fileIds, (chunk) =>
        db.read
          .selectFrom("collection_files")
          .select("collection_id")
          .where("file_id", "in", chunk)
          .where(({ exists, selectFrom }) =>
            exists(
              selectFrom("collection_questions")
                .select("id")
                .whereRef(
                  "collection_questions.collection_id",
                  "=",
                  "collection_files.collection_id",
                ),
            ),
          )
          .distinct()
          .execute(),
      )
      return [...new Set(rows.map(({ collection_id }) => collection_id))]
    },

    /** Those of the collection's files that have one of the names: the last one added of each. */
    filesByName: async (
      tx: Tx,
      collectionId: string,
      names: readonly string[],
    ): Promise<ReadonlyMap<string, string>> => {
      const rows = await readInChunks(names, (chunk) =>
        tx
          .selectFrom("collection_files")
          .innerJoin("files", "files.id", "collection_files.file_id")
          .select(["files.id", "filename"])
          .where("collection_id", "=", collectionId)
          .where("filename", "in", chunk)
          .orderBy("added_at")
          .orderBy("file_id")
          .execute(),
      )
      return new Map(rows.map(({ id, filename }) => [filename, id]))
    },

    /** Undefined if the collection does not contain the file. */
    filenameOf: async (
      tx: Tx,
      collectionId: string,
      fileId: string,
    ): Promise<string | undefined> => {
      const file = tx
        .selectFrom("collection_files")
        .innerJoin("files", "files.id", "collection_files.file_id")
        .select("filename")
        .where("collection_id", "=", collectionId)
        .where("file_id", "=", fileId)
      return (await file.executeTakeFirst())?.filename
    },

    /** The bytes of all questions of a collection. */
    bytes: async (collectionId: string): Promise<number> => {
      const texts = inCollection(collectionId).select(["question", "previous", "quotation", "note"])
      return (await texts.execute()).reduce((sum, row) => sum + questionBytes(row), 0)
    },
  }
}

export type QuestionStore = ReturnType<typeof createQuestionStore>
