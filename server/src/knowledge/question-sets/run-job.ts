import type { Bus } from "../../bus/bus.ts"
import type { Database, Tx } from "../../db/database.ts"
import type { FileStore } from "../../files/file-store.ts"
import type { JobQueue, JobRun } from "../../jobs/queue.ts"
import type { NewJob } from "../../jobs/store.ts"
import type { FairEventLoop } from "../../limits/fair-event-loop.ts"
import type { ContextBudget } from "../citations/context-budget.ts"
import type { SourceSelection } from "../citations/source-selection.ts"
import type { CollectionFileStore } from "../collections/collection-file-store.ts"
import type { CollectionStore } from "../collections/collection-store.ts"
import type { Collection } from "../schema.ts"
import { addResult, summarizeResults } from "./compare-results.ts"
import { createQuestionJudge } from "./judge-question.ts"
import { parseResult, type QuestionStore, type StoredQuestion } from "./question-store.ts"
import type { RunStore, StoredRun } from "./run-store.ts"
import type { QuestionResult, RunReason } from "./schema.ts"
import {
  type FingerprintReader,
  findChange,
  parseFingerprint,
  type SearchFingerprint,
} from "./search-fingerprint.ts"

export const questionJobKind = "questions"

/** Long runs give other owners' runs their turn after this time. */
const sliceMs = 2000
/** Results are stored, and pages show the progress, after so many questions. */
const questionsPerWrite = 10

export const lockOfCollection = (id: string): string => `collection:${id}`

export const createQuestionJob = (
  { id, user_id }: Pick<Collection, "id" | "user_id">,
  delayMs: number,
): NewJob => ({ kind: questionJobKind, target: id, turn: id, owner: user_id, delayMs })

interface Deps {
  db: Database
  bus: Bus
  queue: JobQueue
  collections: CollectionStore
  collectionFiles: CollectionFileStore
  files: FileStore
  questions: QuestionStore
  runs: RunStore
  readFingerprint: FingerprintReader
  selection: SourceSelection
  contextBudget: ContextBudget
  fairLoop: FairEventLoop
  newId: () => string
  now: () => number
}

/** Runs the questions of collections as jobs, with the rights of the collections' owners. */
export const registerRunJob = (deps: Deps): void => {
  const { db, bus, queue, collections, collectionFiles, questions, runs, newId, now } = deps

  const publish = (tx: Tx, { id, user_id }: Collection): Promise<void> =>
    bus.publish(tx, { topic: "collections", user_id, id })

  /** Why a run is necessary; null if it is not. */
  const findReason = async (
    tx: Tx,
    id: string,
    state: SearchFingerprint,
  ): Promise<RunReason | null> => {
    const last = await runs.latest(id, tx)
    const change = findChange(last?.fingerprint ? parseFingerprint(last.fingerprint) : null, state)
    if (change) return change
    return (await questions.hasUnjudged(id, tx)) ? "questions" : null
  }

  /** Resumes the interrupted run, unless files or settings have changed since; or starts one. */
  const begin = (
    collection: Collection,
    state: SearchFingerprint,
  ): Promise<StoredRun | undefined> =>
    db.transactLocked([lockOfCollection(collection.id)], async (tx) => {
      const { id: collection_id } = collection
      const fingerprint = JSON.stringify(state)
      const unfinished = await runs.unfinished(collection_id, tx)
      if (unfinished?.fingerprint === fingerprint) return unfinished
      const reason = unfinished?.reason ?? (await findReason(tx, collection_id, state))
      const total = (await questions.all(collection_id, tx)).length
      if (unfinished) await runs.remove(tx, unfinished.id)
      if (reason === null || total === 0) return undefined
      await questions.discardJudged(tx, collection_id)
      const run = { id: newId(), collection_id, reason, fingerprint, requested_at: now(), total }
      await runs.insert(tx, run)
      await publish(tx, collection)
      return runs.unfinished(collection_id, tx)
    })

  const store = (
    collection: Collection,
    run: StoredRun,
    judged: readonly { question: StoredQuestion; result: QuestionResult }[],
  ): Promise<void> =>
    db.transactLocked([lockOfCollection(collection.id)], async (tx) => {
      for (const { question, result } of judged)
        await questions.setJudged(tx, question, { runId: run.id, result })
      await publish(tx, collection)
    })

  /** @returns false if questions were added or changed meanwhile */
  const finish = (collection: Collection, run: StoredRun): Promise<boolean> =>
    db.transactLocked([lockOfCollection(collection.id)], async (tx) => {
      const all = await questions.all(collection.id, tx)
      if (all.some(({ pending_run_id }) => pending_run_id !== run.id)) return false
      const last = await runs.latest(collection.id, tx)
      const isRepeated = last?.fingerprint === run.fingerprint
      const compared = all.flatMap((row) => {
        const result = parseResult(row.pending_result)
        if (!result) return []
        const result_before = parseResult(row.result_before)
        const known = { result: parseResult(row.result), result_before }
        const history = { ...known, reached_at: row.reached_at }
        return { id: row.id, ...addResult(history, result, isRepeated), result }
      })
      for (const { id, result, result_before, ...columns } of compared) {
        await questions.set(tx, id, {
          ...columns,
          ...(result.file_id !== null && { file_id: result.file_id }),
          result: JSON.stringify(result),
          result_before: result_before && JSON.stringify(result_before),
        })
      }
      await questions.discardJudged(tx, collection.id)
      await runs.set(tx, run.id, { ...summarizeResults(compared), finished_at: now() })
      if (last && isRepeated) await runs.remove(tx, last.id)
      await runs.prune(tx, collection.id)
      await publish(tx, collection)
      return true
    })

  /** Judges questions in the order of their files until all are judged or the slice ends. */
  const judgeSlice = async (
    collection: Collection,
    { run, state, signal }: { run: StoredRun; state: SearchFingerprint; signal: AbortSignal },
  ): Promise<void> => {
    const endsAt = performance.now() + sliceMs
    const remaining = (await questions.all(collection.id))
      .filter(({ pending_run_id }) => pending_run_id !== run.id)
      .sort((a, z) => (a.file_id ?? "").localeCompare(z.file_id ?? ""))
    const files = await collectionFiles.all(collection.id)
    const judge = createQuestionJudge(deps, { collection, files, state })
    let judged: Parameters<typeof store>[2][number][] = []
    for (const [at, question] of remaining.entries()) {
      signal.throwIfAborted()
      judged.push({ question, result: await judge(question, signal) })
      const isEnd = at === remaining.length - 1 || performance.now() > endsAt
      if (!isEnd && judged.length < questionsPerWrite) continue
      await store(collection, run, judged)
      judged = []
      if (isEnd) return
    }
  }

  const runJob = async ({ target, signal }: JobRun): Promise<"unfinished" | undefined> => {
    const collection = await collections.byId(target)
    if (!collection) return undefined
    const { state, filesInProgress } = await deps.readFingerprint(collection)
    // The last of these files schedules the run again.
    if (filesInProgress > 0) return undefined
    const run = await begin(collection, state)
    if (!run) return undefined
    await judgeSlice(collection, { run, state, signal })
    return (await finish(collection, run)) ? undefined : "unfinished"
  }

  /** The next check of all collections starts the run again. */
  const onGivenUp = async (target: string): Promise<void> => {
    const collection = await collections.byId(target)
    if (!collection) return
    await db.transactLocked([lockOfCollection(target)], async (tx) => {
      const unfinished = await runs.unfinished(target, tx)
      if (unfinished) await runs.remove(tx, unfinished.id)
      await publish(tx, collection)
    })
  }

  queue.register(questionJobKind, { concurrency: 1, attempts: 8, run: runJob, onGivenUp })
}
