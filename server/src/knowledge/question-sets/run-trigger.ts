import type { BackgroundTasks } from "../../background/background-tasks.ts"
import type { Bus } from "../../bus/bus.ts"
import type { Database } from "../../db/database.ts"
import type { FileStore } from "../../files/file-store.ts"
import type { JobQueue } from "../../jobs/queue.ts"
import { hasJob } from "../../jobs/store.ts"
import { type CollectionStore, lockOfCollection } from "../collections/collection-store.ts"
import type { Collection } from "../schema.ts"
import type { QuestionStore } from "./question-store.ts"
import { createQuestionJob, questionJobKind } from "./run-job.ts"
import { findChangeSince, type RunStore, type StoredRun } from "./run-store.ts"
import {
  type CollectionState,
  type FingerprintReader,
  findChange,
  parseFingerprint,
  type SearchFingerprint,
  type SharedFingerprint,
} from "./search-fingerprint.ts"

export interface RunTriggerOptions {
  /** How often to look for collections whose files changed, in ms. */
  questionCheckMs?: number
  /** How long files and settings have to stay the same before questions are run, in ms. */
  questionDelayMs?: number
  /** How long runs wait for files that are not ready, or that keep changing, in ms. */
  questionMaxWaitMs?: number
}

const defaultCheckMs = 2000
const defaultDelayMs = 30_000
const defaultMaxWaitMs = 600_000
/** When a run is tried again for which the search has failed, in s. */
const retryAfter = 600
/** Finds changes whose announcement was lost. */
const checkAllMs = 600_000
/** With more changed files than this, all collections are checked. */
const maxChangedFiles = 10_000
const taskName = "schedule runs of question sets"

interface Deps extends RunTriggerOptions {
  background: BackgroundTasks
  bus: Bus
  db: Database
  queue: JobQueue
  files: FileStore
  collections: CollectionStore
  questions: QuestionStore
  runs: RunStore
  readFingerprint: FingerprintReader
  shared: () => SharedFingerprint
  /** The embedding model that this process can use; null if there is none. */
  usableModel: () => string | null
  newId: () => string
  now: () => number
}

/** What changed since the last check. */
const createChanges = () => {
  let files = new Set<string>()
  let collections = new Set<string>()
  let areAllChanged = true
  return {
    addFile: (id: string): void => {
      if (files.size < maxChangedFiles) files.add(id)
      else areAllChanged = true
    },
    addCollection: (id: string): void => void collections.add(id),
    addAll: (): void => {
      areAllChanged = true
    },
    take: () => {
      const taken = { files: [...files], collections: [...collections], areAllChanged }
      files = new Set()
      collections = new Set()
      areAllChanged = false
      return taken
    },
  }
}

/**
 * Schedules a run of a collection's questions once its files, the embedding model, and the settings
 * have stayed the same for a while after a change.
 */
export const triggerRuns = (deps: Deps): void => {
  const { background, bus, db, queue, questions, runs } = deps
  const { newId, now, questionCheckMs = defaultCheckMs, questionDelayMs = defaultDelayMs } = deps
  const { questionMaxWaitMs = defaultMaxWaitMs } = deps
  const changes = createChanges()
  /** The state for which a collection's next run was scheduled. */
  const scheduledStates = new Map<string, string>()
  /** Since when collections need a run that files keep from starting. */
  const waitingSince = new Map<string, number>()
  const overdueIds = new Set<string>()
  let modelChangedAt = 0
  let checkAllAt = 0
  let sharedState = ""

  bus.subscribe(taskName, (message) => {
    if (message.topic === "files") changes.addFile(message.id)
    if (message.topic === "collections") changes.addCollection(message.id)
    if (message.topic === "settings" || message.topic === "reset") changes.addAll()
  })

  const findChanged = async (): Promise<string[]> => {
    const { files, collections, areAllChanged } = changes.take()
    if (!areAllChanged && files.length + collections.length === 0) return []
    if (areAllChanged) scheduledStates.clear()
    const all = await questions.collections()
    // Nobody knows in which collections deleted files were.
    const areDeleted = async () => (await deps.files.owners(files)).length < files.length
    if (all.length === 0 || areAllChanged || (await areDeleted())) return all
    const changed = new Set([...collections, ...(await questions.collectionsOfFiles(files))])
    return all.filter((id) => changed.has(id))
  }

  /** Whether the search failed a short while ago, with nothing changed since. */
  const isRetryEarly = (
    attempt: StoredRun | undefined,
    fingerprint: SearchFingerprint,
  ): boolean => {
    if (!attempt?.fingerprint || attempt.error === null) return false
    const at = attempt.finished_at ?? 0
    const isRecent = at >= modelChangedAt && at > now() - retryAfter
    return isRecent && findChange(parseFingerprint(attempt.fingerprint), fingerprint) === null
  }

  /** How long a run has to wait after the last change, in ms; null if none is needed. */
  const findDelay = async (id: string, state: CollectionState): Promise<number | null> => {
    const [last, unfinished] = await Promise.all([runs.latest(id), runs.unfinished(id)])
    if (unfinished) return 0
    if (isRetryEarly(await runs.latestAttempt(id), state.fingerprint)) return null
    if (last && findChangeSince(last, state)) return questionDelayMs
    const isAnyLeft =
      (await questions.hasAny(id, "unjudged")) || (await questions.hasAny(id, "undecided"))
    return isAnyLeft ? 0 : null
  }

  /** Starts a run over the files that are ready. */
  const startPartial = async (collection: Collection): Promise<void> => {
    const { id } = collection
    await db.transactLocked([lockOfCollection(id)], async (tx) => {
      const unfinished = await runs.unfinished(id, tx)
      if (unfinished?.fingerprint && (await hasJob(tx, questionJobKind, id))) return
      if (unfinished?.fingerprint === null) await runs.set(tx, unfinished.id, { is_partial: 1 })
      if (!unfinished) {
        const run = { id: newId(), collection_id: id, fingerprint: null }
        const total = await questions.count(id, tx)
        await runs.insert(tx, { ...run, reason: "files", total, is_partial: 1 })
      }
      await queue.add(tx, [createQuestionJob(collection, 0)])
    })
  }

  const start = async (
    collection: Collection,
    { fingerprint, hasFilesInProgress }: CollectionState,
    delayMs: number,
  ): Promise<void> => {
    const { id } = collection
    if (!waitingSince.has(id)) waitingSince.set(id, performance.now())
    if (overdueIds.delete(id)) return startPartial(collection)
    if (hasFilesInProgress) return
    const key = JSON.stringify(fingerprint)
    const isScheduled = await hasJob(db.read, questionJobKind, id)
    if (isScheduled && (delayMs === 0 || scheduledStates.get(id) === key)) return
    scheduledStates.set(id, key)
    await db.transact((tx) => queue.add(tx, [createQuestionJob(collection, delayMs)]))
  }

  const schedule = async (id: string): Promise<void> => {
    const collection = await deps.collections.byId(id)
    if (!collection) return
    const state = await deps.readFingerprint(collection)
    const delayMs = state.isModelUsable ? await findDelay(id, state) : null
    if (delayMs === null) waitingSince.delete(id)
    else await start(collection, state, delayMs)
  }

  /** Runs that have waited too long start without the files that are not ready. */
  const endWaits = (): void => {
    const latest = performance.now() - questionMaxWaitMs
    for (const [id, since] of waitingSince) {
      if (since > latest) continue
      waitingSince.delete(id)
      overdueIds.add(id)
      changes.addCollection(id)
    }
  }

  /** No message announces another active embedding index. */
  const noticeChanges = (): void => {
    const shared = JSON.stringify([deps.shared(), deps.usableModel()])
    if (shared !== sharedState) modelChangedAt = now()
    if (shared !== sharedState || performance.now() >= checkAllAt) {
      changes.addAll()
      sharedState = shared
      checkAllAt = performance.now() + checkAllMs
    }
  }

  const check = async (): Promise<void> => {
    endWaits()
    noticeChanges()
    try {
      for (const id of await findChanged()) await schedule(id)
    } catch (error) {
      changes.addAll()
      throw error
    }
  }
  background.every(questionCheckMs, taskName, check)
}
