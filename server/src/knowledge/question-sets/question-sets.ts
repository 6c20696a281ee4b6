import type { Audit } from "../../audit/audit.ts"
import type { Bus } from "../../bus/bus.ts"
import type { Database, EssentialWrites, Tx } from "../../db/database.ts"
import type { RowLimits } from "../../db/row-limits.ts"
import { fail, failInvalid } from "../../errors.ts"
import { requireReadable, requireWritable } from "../../grants/access.ts"
import type { Caller, RefreshCaller } from "../../http/caller.ts"
import type { Page } from "../../http/pagination.ts"
import { translatable } from "../../i18n/message.ts"
import type { JobQueue } from "../../jobs/queue.ts"
import { hasJob } from "../../jobs/store.ts"
import type { StorageQuota } from "../../storage/storage-quota.ts"
import { type CollectionStore, lockOfCollection } from "../collections/collection-store.ts"
import {
  createEditInTransaction,
  type Edit,
  type EditOutcome,
  type EditRequest,
} from "../collections/edit-transaction.ts"
import { accessMessages } from "../failures.ts"
import type { Collection } from "../schema.ts"
import { matchImported } from "./match-imported.ts"
import {
  notJudged,
  type QuestionStore,
  questionBytes,
  type StoredQuestion,
  toQuestion,
} from "./question-store.ts"
import { createQuestionJob, questionJobKind } from "./run-job.ts"
import { createStatusReader } from "./run-status.ts"
import type { RunStore } from "./run-store.ts"
import type {
  CollectionQuestion,
  ImportedQuestions,
  NewQuestion,
  QuestionChanges,
  QuestionListQuery,
  QuestionSetFile,
  QuestionSetStatus,
} from "./schema.ts"
import type { FingerprintReader } from "./search-fingerprint.ts"

const defaultEditDelayMs = 3000

export interface QuestionEditOptions {
  /** How long to wait for further questions before they are run, in ms. */
  questionEditDelayMs?: number
}

interface Deps extends QuestionEditOptions {
  db: Database
  bus: Bus
  audit: Audit
  queue: JobQueue
  rowLimits: RowLimits
  storage: StorageQuota
  collections: CollectionStore
  questions: QuestionStore
  runs: RunStore
  readFingerprint: FingerprintReader
  newId: () => string
  now: () => number
  refreshCaller: RefreshCaller
}

const failQuestionNotFound = (): never => fail("not_found", translatable("question_not_found"))
const failNotInCollection = (): never =>
  failInvalid("file_id", translatable("collection_file_not_found"))

/** A change of these makes the results of a question invalid. */
const expectedFields = ["question", "previous", "file_id", "quotation"] as const

const applyChanges = (before: StoredQuestion, changes: QuestionChanges): StoredQuestion => {
  const { question = before.question, previous = before.previous } = changes
  const { quotation = before.quotation, note = before.note } = changes
  const { file_id = before.file_id } = changes
  return { ...before, question, previous, quotation, note, file_id }
}

/** The questions that collections must answer, with access checks. */
export const createQuestionSets = (deps: Deps) => {
  const { db, queue, rowLimits, storage, collections, questions, runs } = deps
  const { newId, now, questionEditDelayMs = defaultEditDelayMs } = deps

  const getReadable = async (caller: Caller, id: string): Promise<Collection> =>
    requireReadable(await collections.byId(id), caller, accessMessages)

  const editInTransaction = createEditInTransaction(deps)

  const edit = <T>(
    request: EditRequest,
    work: (edit: Edit) => Promise<EditOutcome<T>>,
    writes: EssentialWrites = db,
  ): Promise<T> =>
    writes.transactLocked([lockOfCollection(request.id)], (tx) =>
      editInTransaction(tx, request, work),
    )

  /** Stores texts of so many bytes, which count toward the storage of the collection's owner. */
  const storeBytes = async <T>(
    { caller, id }: EditRequest,
    bytes: number,
    write: () => Promise<T>,
  ): Promise<T> => {
    const stored = await collections.byId(id)
    const { user_id: owner } = requireWritable(stored, caller, accessMessages)
    return storage.writeWithinLimit([{ owner, addedBy: caller.user.id, bytes }], write)
  }

  const runLater = (tx: Tx, collection: Collection): Promise<void> =>
    queue.add(tx, [createQuestionJob(collection, questionEditDelayMs)])

  const readFilename = async (
    tx: Tx,
    before: StoredQuestion,
    fileId: string | null,
  ): Promise<string> => {
    if (fileId === null || fileId === before.file_id) return before.filename
    return (await questions.filenameOf(tx, before.collection_id, fileId)) ?? failNotInCollection()
  }

  const createRow = (
    collection_id: string,
    position: number,
    input: Omit<NewQuestion, "file_id"> & { file_id: string | null; filename: string },
  ): StoredQuestion => ({
    ...{ id: newId(), collection_id, position, ...input, revision: 0, ...notJudged },
    ...{ created_at: now(), updated_at: now() },
  })

  const readStatus = createStatusReader(deps)

  return {
    list: async (
      caller: Caller,
      id: string,
      query: QuestionListQuery,
    ): Promise<Page<CollectionQuestion>> => {
      await getReadable(caller, id)
      const { items, total } = await questions.page(id, query)
      return { items: items.map(toQuestion), total }
    },

    status: async (caller: Caller, id: string): Promise<QuestionSetStatus> =>
      readStatus(await getReadable(caller, id)),

    create: async (request: EditRequest, input: NewQuestion): Promise<CollectionQuestion> => {
      const { id } = request
      const row = await storeBytes(request, questionBytes(input), () =>
        edit(request, async ({ tx, before: collection }) => {
          await rowLimits.lockAndCheck(tx, "questions", { owner: id })
          const filename =
            (await questions.filenameOf(tx, id, input.file_id)) ?? failNotInCollection()
          const position = await questions.nextPosition(tx, id)
          const value = createRow(id, position, { ...input, filename })
          await questions.insert(tx, [value])
          await runLater(tx, collection)
          const after = { question: value.id }
          return { value, event: { action: "collection.question_added", after } }
        }),
      )
      return toQuestion(row)
    },

    update: async (
      request: EditRequest,
      questionId: string,
      changes: QuestionChanges,
    ): Promise<CollectionQuestion> => {
      const { id } = request
      const { question = "", previous = "", quotation = "", note = "" } = changes
      const bytes = questionBytes({ question, previous, quotation, note })
      const row = await storeBytes(request, bytes, () =>
        edit(request, async ({ tx, before: collection }) => {
          const before = (await questions.byId(id, questionId, tx)) ?? failQuestionNotFound()
          const expected = applyChanges(before, changes)
          const isReset = expectedFields.some((name) => expected[name] !== before[name])
          const filename = await readFilename(tx, before, expected.file_id)
          const reset = isReset ? { ...notJudged, revision: before.revision + 1 } : {}
          const value = { ...expected, filename, ...reset, updated_at: now() }
          await questions.set(tx, questionId, value)
          if (isReset) await runLater(tx, collection)
          const changed = Object.keys(changes)
          const after = { question: questionId }
          return { value, event: { action: "collection.question_changed", changed, after } }
        }),
      )
      return toQuestion(row)
    },

    remove: (request: EditRequest, questionId: string): Promise<void> =>
      edit(
        request,
        async ({ tx }) => {
          if (!(await questions.remove(tx, request.id, questionId))) failQuestionNotFound()
          const before = { question: questionId }
          return { value: undefined, event: { action: "collection.question_deleted", before } }
        },
        db.essential,
      ),

    /** Does nothing if a run was requested already, or is in progress. */
    run: async (request: EditRequest): Promise<QuestionSetStatus> => {
      const { id } = request
      const collection = await edit(request, async ({ tx, before: value }) => {
        const total = await questions.count(id, tx)
        if (total === 0) fail("conflict", translatable("no_questions_to_run"))
        const unfinished = await runs.unfinished(id, tx)
        if (unfinished && (await hasJob(tx, questionJobKind, id))) return { value, event: null }
        const run = { id: newId(), collection_id: id, fingerprint: null }
        if (!unfinished)
          await runs.insert(tx, { ...run, reason: "requested", total, is_partial: 0 })
        await queue.add(tx, [createQuestionJob(value, 0)])
        return { value, event: { action: "collection.questions_run" } }
      })
      return readStatus(collection)
    },

    exportAll: async (caller: Caller, id: string): Promise<QuestionSetFile> => {
      await getReadable(caller, id)
      const rows = await questions.all(id)
      return {
        questions: rows.map(({ question, previous, filename, quotation, note }) => ({
          ...{ question, previous, filename, quotation, note },
        })),
      }
    },

    importAll: (request: EditRequest, set: QuestionSetFile): Promise<ImportedQuestions> => {
      const { id } = request
      const bytes = set.questions.reduce((sum, one) => sum + questionBytes(one), 0)
      return storeBytes(request, bytes, () =>
        edit(request, async ({ tx, before: collection }) => {
          const { added, changed } = matchImported(await questions.all(id, tx), set.questions)
          await rowLimits.lockAndCheck(tx, "questions", { owner: id, added: added.length })
          const names = [...new Set(set.questions.map(({ filename }) => filename))]
          const fileIds = await questions.filesByName(tx, id, names)
          const first = await questions.nextPosition(tx, id)
          const rows = added.map((one, at) =>
            createRow(id, first + at, { ...one, file_id: fileIds.get(one.filename) ?? null }),
          )
          await questions.insert(tx, rows)
          for (const { known, quotation, note } of changed) {
            const reset = quotation === known.quotation ? {} : notJudged
            const revision = known.revision + 1
            const changes = { quotation, note, ...reset, revision, updated_at: now() }
            await questions.set(tx, known.id, changes)
          }
          await runLater(tx, collection)
          const value = {
            created: rows.map((row) => row.id),
            updated: changed.map(({ known }) => known.id),
            unknown_files: names.filter((name) => !fileIds.has(name)),
          }
          const after = { added: rows.length, changed: changed.length }
          return { value, event: { action: "collection.questions_imported", after } }
        }),
      )
    },
  }
}

export type QuestionSets = ReturnType<typeof createQuestionSets>
