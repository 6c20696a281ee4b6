import type { Bus } from "../../bus/bus.ts"
import type { FairEventLoop } from "../../concurrency/fair-event-loop.ts"
import type { Database, Tx } from "../../db/database.ts"
import type { FileStore } from "../../files/file-store.ts"
import type { JobQueue, JobRun } from "../../jobs/queue.ts"
import type { NewJob } from "../../jobs/store.ts"
import type { ContextBudget } from "../citations/context-budget.ts"
import type { SourceSelection } from "../citations/source-selection.ts"
import type { CollectionFileStore } from "../collections/collection-file-store.ts"
import { type CollectionStore, lockOfCollection } from "../collections/collection-store.ts"
import type { Collection } from "../schema.ts"
import { addResult, summarizeResults } from "./compare-results.ts"
import { SearchFailure } from "./judge-question.ts"
import { type JudgedQuestion, judgeSlice } from "./judge-slice.ts"
import { parseResult, type QuestionStore, type StoredQuestion } from "./question-store.ts"
import { findChangeSince, type RunStore, type StoredRun } from "./run-store.ts"
import { type RunError, RunReason } from "./schema.ts"
import {
  type CollectionState,
  type FingerprintReader,
  findChange,
  parseFingerprint,
  type SearchFingerprint,
} from "./search-fingerprint.ts"

export const questionJobKind = "questions"

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

/** Whether a run that has begun can be finished, although files may have changed since. */
const canResume = ({ fingerprint }: StoredRun, current: SearchFingerprint): boolean => {
  if (fingerprint === null) return false
  const change = findChange(parseFingerprint(fingerprint), current)
  return change === null || change === "files"
}

/** What a run has judged of a question; empty if nothing. */
const findJudged = (question: StoredQuestion, runId: string): JudgedQuestion[] => {
  const result = parseResult(question.pending_result)
  return question.pending_run_id === runId && result ? [{ question, result }] : []
}

const hasFailures = (judged: readonly JudgedQuestion[]): boolean =>
  judged.some(({ result }) => result.reason === "error")

const compare = (
  { question, result }: JudgedQuestion,
  run: { isRepeated: boolean; isPartial: boolean },
) => {
  const known = { result: parseResult(question.result), reached_at: question.reached_at }
  const result_before = parseResult(question.result_before)
  return { id: question.id, ...addResult({ ...known, result_before }, result, run), result }
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
    { last, state }: { last: StoredRun | undefined; state: CollectionState },
  ): Promise<RunReason | null> => {
    const change = findChangeSince(last, state)
    if (change) return change
    if (await questions.hasAny(id, "unjudged", tx)) return "questions"
    const isRetried = last && (await questions.hasAny(id, "undecided", tx))
    return isRetried ? RunReason.parse(last.reason) : null
  }

  /** Does nothing if no run is necessary. */
  const insertRun = async (
    tx: Tx,
    collection_id: string,
    { state, isRequested }: { state: CollectionState; isRequested: boolean },
  ): Promise<void> => {
    const { fingerprint, hasFilesInProgress } = state
    const last = await runs.latest(collection_id, tx)
    const reason = isRequested ? "requested" : await findReason(tx, collection_id, { last, state })
    const total = await questions.count(collection_id, tx)
    if (reason === null || total === 0) return
    await questions.discardJudged(tx, collection_id)
    const stored = JSON.stringify(fingerprint)
    const run = { id: newId(), collection_id, reason, fingerprint: stored }
    await runs.insert(tx, { ...run, total, is_partial: hasFilesInProgress ? 1 : 0 })
    const isSame = last?.fingerprint === stored && last.is_partial === 0 && !isRequested
    if (isSame) await questions.reuseResults(tx, collection_id, run.id)
  }

  /** Resumes the interrupted run, unless settings have changed since; or starts one. */
  const begin = (collection: Collection, state: CollectionState): Promise<StoredRun | undefined> =>
    db.transactLocked([lockOfCollection(collection.id)], async (tx) => {
      const unfinished = await runs.unfinished(collection.id, tx)
      if (unfinished && canResume(unfinished, state.fingerprint)) return unfinished
      // Files in progress start the run again once they are ready, unless that takes too long.
      if (state.hasFilesInProgress && unfinished?.is_partial !== 1) return undefined
      if (unfinished) await runs.remove(tx, unfinished.id)
      const isRequested = unfinished?.reason === "requested"
      await insertRun(tx, collection.id, { state, isRequested })
      await publish(tx, collection)
      return runs.unfinished(collection.id, tx)
    })

  const store = (
    collection: Collection,
    run: StoredRun,
    judged: readonly JudgedQuestion[],
  ): Promise<void> =>
    db.transactLocked([lockOfCollection(collection.id)], async (tx) => {
      for (const { question, result } of judged)
        await questions.setJudged(tx, question, { runId: run.id, result })
      await publish(tx, collection)
    })

  const complete = async (
    tx: Tx,
    run: StoredRun,
    judged: readonly JudgedQuestion[],
  ): Promise<void> => {
    const { collection_id: id } = run
    const last = await runs.latest(id, tx)
    const isRepeated = last?.fingerprint === run.fingerprint
    const isPartial = run.is_partial === 1
    const compared = judged.map((one) => compare(one, { isRepeated, isPartial }))
    await questions.setResults(tx, compared)
    await runs.removeFailed(tx, id)
    const error = hasFailures(judged) ? run.error : null
    const outcome = isPartial || error !== null ? "incomplete" : "complete"
    const figures = summarizeResults(compared)
    await runs.set(tx, run.id, { ...figures, outcome, error, finished_at: now() })
    if (last && isRepeated) await runs.remove(tx, last.id)
    await runs.prune(tx, id)
  }

  /**
   * @param withFailures whether the search will not be tried again for questions for which it failed
   * @returns false if questions are left to judge
   */
  const finish = (
    collection: Collection,
    { id }: StoredRun,
    { withFailures }: { withFailures: boolean },
  ): Promise<boolean> =>
    db.transactLocked([lockOfCollection(collection.id)], async (tx) => {
      const all = await questions.all(collection.id, tx)
      const run = await runs.unfinished(collection.id, tx)
      if (run?.id !== id) return true
      const judged = all.flatMap((row) => findJudged(row, id))
      if (judged.length < all.length) return false
      if (hasFailures(judged) && !withFailures) return false
      await complete(tx, run, judged)
      await publish(tx, collection)
      return true
    })

  const setError = (collection: Collection, run: StoredRun, error: RunError): Promise<void> =>
    db.transactLocked([lockOfCollection(collection.id)], async (tx) => {
      await runs.set(tx, run.id, { error })
      await publish(tx, collection)
    })

  /** @returns why the search fails; null if it succeeds, or if other questions can be tried first */
  const judge = async (
    collection: Collection,
    { isModelUsable }: CollectionState,
    { run, signal }: { run: StoredRun; signal: AbortSignal },
  ): Promise<SearchFailure | null> => {
    if (!isModelUsable) return new SearchFailure("embedding_model")
    const all = await questions.all(collection.id)
    const files = await collectionFiles.all(collection.id)
    const fingerprint = parseFingerprint(run.fingerprint ?? "{}")
    const write = (judged: readonly JudgedQuestion[]) => store(collection, run, judged)
    return judgeSlice(deps, { collection, files, fingerprint }, { run, all, write, signal })
  }

  const runJob = async ({ target, signal }: JobRun): Promise<"unfinished" | undefined> => {
    const collection = await collections.byId(target)
    if (!collection) return undefined
    const state = await deps.readFingerprint(collection)
    const run = await begin(collection, state)
    if (!run) return undefined
    const failure = await judge(collection, state, { run, signal })
    if (failure) {
      await setError(collection, run, failure.code)
      // Another attempt follows, possibly in a process that can use the model.
      throw failure
    }
    return (await finish(collection, run, { withFailures: false })) ? undefined : "unfinished"
  }

  const fail = (collection: Collection, run: StoredRun, error: RunError): Promise<void> =>
    db.transactLocked([lockOfCollection(collection.id)], async (tx) => {
      await questions.discardJudged(tx, collection.id)
      await runs.removeFailed(tx, collection.id)
      await runs.set(tx, run.id, { outcome: "failed", error, finished_at: now() })
      await runs.prune(tx, collection.id)
      await publish(tx, collection)
    })

  /** Results count if the search failed for some of the questions only. */
  const onGivenUp = async (target: string, error: Error): Promise<void> => {
    const collection = await collections.byId(target)
    const run = collection && (await runs.unfinished(target))
    if (!run) return
    const all = await questions.all(target)
    const judged = all.flatMap((row) => findJudged(row, run.id))
    const isAnyDecided = judged.some(({ result }) => result.reason !== "error")
    if (isAnyDecided && (await finish(collection, run, { withFailures: true }))) return
    await fail(collection, run, error instanceof SearchFailure ? error.code : "internal")
  }

  queue.register(questionJobKind, { concurrency: 1, attempts: 8, run: runJob, onGivenUp })
}
