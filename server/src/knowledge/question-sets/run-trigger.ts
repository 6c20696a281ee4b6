import type { BackgroundTasks } from "../../background/background-tasks.ts"
import type { Bus } from "../../bus/bus.ts"
import type { Database } from "../../db/database.ts"
import type { FileStore } from "../../files/file-store.ts"
import type { JobQueue } from "../../jobs/queue.ts"
import { hasJob } from "../../jobs/store.ts"
import type { CollectionStore } from "../collections/collection-store.ts"
import type { QuestionStore } from "./question-store.ts"
import { createQuestionJob, questionJobKind } from "./run-job.ts"
import type { RunStore, StoredRun } from "./run-store.ts"
import type { FingerprintReader, SharedFingerprint } from "./search-fingerprint.ts"

export interface RunTriggerOptions {
  /** How often to look for collections whose files changed, in ms. */
  questionCheckMs?: number
  /** How long files and settings have to stay the same before questions are run, in ms. */
  questionDelayMs?: number
}

const defaultCheckMs = 2000
const defaultDelayMs = 30_000
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
  const { questionCheckMs = defaultCheckMs, questionDelayMs = defaultDelayMs } = deps
  const changes = createChanges()
  /** The state for which a collection's next run was scheduled. */
  const scheduledStates = new Map<string, string>()
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

  const isNeeded = async (id: string, unfinished: StoredRun | undefined): Promise<boolean> =>
    unfinished !== undefined || questions.hasUnjudged(id)

  /**
   * How long a run has to wait, in ms; null if none is needed, or if it is scheduled already.
   * @param state the collection's present state
   */
  const findDelay = async (id: string, state: string): Promise<number | null> => {
    const isScheduled = await hasJob(db.read, questionJobKind, id)
    const [last, unfinished] = await Promise.all([runs.latest(id), runs.unfinished(id)])
    const isKnown = !last || [last.fingerprint, unfinished?.fingerprint].includes(state)
    if (isKnown) return !isScheduled && (await isNeeded(id, unfinished)) ? 0 : null
    return isScheduled && scheduledStates.get(id) === state ? null : questionDelayMs
  }

  const schedule = async (id: string): Promise<void> => {
    const collection = await deps.collections.byId(id)
    if (!collection) return
    const { state, filesInProgress } = await deps.readFingerprint(collection)
    if (filesInProgress > 0) return
    const key = JSON.stringify(state)
    const delayMs = await findDelay(id, key)
    if (delayMs === null) return
    scheduledStates.set(id, key)
    await db.transact((tx) => queue.add(tx, [createQuestionJob(collection, delayMs)]))
  }

  const check = async (): Promise<void> => {
    // No message announces another active embedding index.
    const shared = JSON.stringify(deps.shared())
    if (shared !== sharedState || performance.now() >= checkAllAt) {
      changes.addAll()
      sharedState = shared
      checkAllAt = performance.now() + checkAllMs
    }
    try {
      for (const id of await findChanged()) await schedule(id)
    } catch (error) {
      changes.addAll()
      throw error
    }
  }
  background.every(questionCheckMs, taskName, check)
}
