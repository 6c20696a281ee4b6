import { compareHits, dotProduct, type ScoredHit } from "@portico/search"
import type { BackgroundTasks } from "../../background/background-tasks.ts"
import type { Bus } from "../../bus/bus.ts"
import type { Database, Tx } from "../../db/database.ts"
import type { FileStore, StoredFile } from "../../files/file-store.ts"
import type { PassageStore } from "../../files/passage-store.ts"
import type { EmbeddingState } from "../../files/schema.ts"
import { lockTexts } from "../../files/text-writer.ts"
import type { JobQueue, JobRun } from "../../jobs/queue.ts"
import type { NewJob } from "../../jobs/store.ts"
import type { QuestionEmbedding } from "../search/retrieval.ts"
import {
  type EmbeddingIndex,
  embedJobTarget,
  type IncompleteFile,
  type VectorStore,
} from "../vectors/vector-store.ts"
import { embeddingText, embedQuestion } from "./embed-question.ts"
import { batchSize, type Embedder } from "./embedder.ts"
import type { EmbeddingModels } from "./embedding-models.ts"

export interface EmbeddingIndexOptions {
  questionTimeoutMs?: number
}

interface Deps extends EmbeddingIndexOptions {
  background: BackgroundTasks
  db: Database
  bus: Bus
  queue: JobQueue
  models: EmbeddingModels
  embedder: Embedder
  store: VectorStore
  /** Updates the database's own vector index; does nothing if it has none. */
  catchUp: (indexes: readonly EmbeddingIndex[]) => Promise<void>
  files: FileStore
  passages: PassageStore
  concurrency: number
  newId: () => string
  now: () => number
}

const passagesAtOnce = 32
const filesAtOnce = 1000
const reconcileIntervalMs = 30_000
const taskName = "reconcile embedding indexes"
/** A large file is embedded in slices of this duration, so that other jobs get their turn. */
const sliceMs = 2000

/**
 * The embedding indexes: the active one, which is searched, and while the model is being changed,
 * one being built that replaces it once it contains every file.
 */
export const createEmbeddingIndexes = (deps: Deps) => {
  const { background, db, bus, queue, models, embedder, store, files, passages } = deps
  const { questionTimeoutMs, newId, now } = deps
  let indexes: EmbeddingIndex[] = []
  let reconciling: Promise<unknown> = Promise.resolve()

  const active = (): EmbeddingIndex | undefined => indexes.find(({ state }) => state === "active")
  const usableIndex = (): EmbeddingIndex | undefined => {
    const index = active()
    return index && models.isUsable(index.model) ? index : undefined
  }
  const load = async (): Promise<void> => {
    indexes = await store.indexes()
  }

  const createEmbedJob = (indexId: string, { id, hash, user_id }: IncompleteFile): NewJob => ({
    ...{ kind: "embed", owner: user_id },
    ...{ target: embedJobTarget(indexId, id), turn: embedJobTarget(indexId, hash) },
  })

  /** Drops an index being built, because the active index's model was selected again. */
  const dropBuilding = async (): Promise<void> => {
    if (!indexes.some(({ state }) => state === "building")) return
    await db.transactLocked(["vector_spaces"], (tx) => store.dropBuilding(tx))
    await load()
  }

  /**
   * Adds an index for the selected model unless it exists; a second one is built to replace the
   * active one.
   */
  const ensureIndex = async (model: string): Promise<void> => {
    if (model === active()?.model) return dropBuilding()
    if (indexes.some((index) => index.model === model)) return
    await db.transactLocked(["vector_spaces"], async (tx) => {
      const known = await store.indexes(tx)
      if (known.some((index) => index.model === model)) return
      await store.dropBuilding(tx)
      const state = known.some((index) => index.state === "active") ? "building" : "active"
      await store.addIndex(tx, { id: newId(), model, state, dimensions: null, created_at: now() })
    })
    await load()
  }

  const enqueueIncomplete = async (): Promise<void> => {
    for (const { id, model } of indexes) {
      if (!models.isUsable(model)) continue
      const incomplete = await store.incompleteFilesWithoutJob(id, filesAtOnce)
      if (incomplete.length === 0) continue
      const jobs = incomplete.map((file) => createEmbedJob(id, file))
      await db.transact(async (tx) => queue.add(tx, jobs))
    }
  }

  /** Activates the index being built once it contains every file. */
  const activateIfComplete = async (): Promise<void> => {
    const building = indexes.find(({ state }) => state === "building")
    if (
      !building ||
      !models.isUsable(building.model) ||
      (await store.hasIncompleteFiles(building.id))
    )
      return
    await db.transactLocked(["vector_spaces"], (tx) => store.activate(tx, building.id))
    await load()
  }

  const setState = async (
    { id, text_revision }: Pick<StoredFile, "id" | "text_revision">,
    embedding: EmbeddingState,
  ): Promise<void> => {
    await db.transactRelaxed(async (tx) => {
      const file = await files.byId(id, tx)
      if (file?.text_revision !== text_revision || file.embedding === embedding) return
      await files.set(tx, id, { embedding })
      await bus.publish(tx, { topic: "files", user_id: file.user_id, id })
    })
  }

  /** Marks files that became complete in an index before it was activated. */
  const markEmbedded = async (): Promise<void> => {
    const index = active()
    if (!index) return
    for (const file of await store.unmarkedFiles(index.id)) await setState(file, null)
  }

  const reconcileOnce = async (): Promise<void> => {
    await load()
    const model = models.choose(active()?.model ?? null)
    if (model !== null) await ensureIndex(model)
    await enqueueIncomplete()
    await activateIfComplete()
    await markEmbedded()
    // Not awaited: building takes minutes, during which passages are scanned.
    void deps.catchUp(indexes)
  }

  const reconcile = (): Promise<unknown> => {
    reconciling = reconciling.then(() => background.runInBackground(taskName, reconcileOnce))
    return reconciling
  }

  /** @returns the number of passages embedded; 0 if none are left, or the text was replaced */
  const embedBatch = async (
    index: EmbeddingIndex,
    { id: fileId, text_revision }: StoredFile,
    { first, signal }: { first: number; signal: AbortSignal },
  ): Promise<number> => {
    const rows = await passages.startingAt(fileId, first, passagesAtOnce)
    const size = batchSize(index.model, rows.map(embeddingText))
    if (size === 0) return 0
    const texts = rows.slice(0, size).map(embeddingText)
    const input = { texts, kind: "passage" } as const
    const vectors = await embedder.embed(index.model, input, { signal, retryWhenBusy: true })
    signal.throwIfAborted()
    return db.transactRelaxed(async (tx) => {
      await lockTexts(db, tx, [fileId])
      const file = await files.byId(fileId, tx)
      if (file?.text_revision !== text_revision) return 0
      await store.write(tx, { fileId, indexId: index.id, first, vectors })
      await bus.publish(tx, { topic: "files", user_id: file.user_id, id: fileId })
      return size
    })
  }

  /** Copies vectors from another file with the same passages, so that none is embedded twice. */
  const copyFromDuplicate = async (index: EmbeddingIndex, file: StoredFile): Promise<void> => {
    if ((await store.countEmbedded(file.id, index.id)) > 0) return
    const duplicate = await files.findDuplicate(file)
    if (!duplicate) return
    await db.transactRelaxed(async (tx) => {
      await lockTexts(db, tx, [file.id, duplicate.id])
      const current = await files.byId(file.id, tx)
      if (current?.text_revision !== file.text_revision) return
      if (!(await passages.areSame(tx, duplicate.id, file.id))) return
      await store.copy(tx, duplicate.id, file.id, index.id)
    })
  }

  /** @returns false if the slice ended before the file was complete */
  const embedSlice = async (
    index: EmbeddingIndex,
    file: StoredFile,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const endsAt = performance.now() + sliceMs
    let first = await store.countEmbedded(file.id, index.id)
    do {
      const size = await embedBatch(index, file, { first, signal })
      if (size === 0) return true
      first += size
    } while (performance.now() < endsAt)
    return false
  }

  const runJob = async ({ target, signal }: JobRun): Promise<"unfinished" | undefined> => {
    const [indexId = "", fileId = ""] = target.split(" ")
    const index = (await store.indexes()).find(({ id }) => id === indexId)
    const file = await files.byId(fileId)
    if (!index || !file || file.passages === null) return undefined
    const isUsable = models.isUsable(index.model)
    if (isUsable) await copyFromDuplicate(index, file)
    if (isUsable && !(await embedSlice(index, file, signal))) return "unfinished"
    if (index.state === "active") await setState(file, null)
    else void reconcile()
    return undefined
  }

  /** The file can still be found by keywords; the next reconciliation retries its embeddings. */
  const onGivenUp = async (target: string): Promise<void> => {
    const [indexId, fileId = ""] = target.split(" ")
    const file = await files.byId(fileId)
    if (file && indexId === active()?.id) await setState(file, "failed")
  }

  queue.register("embed", { concurrency: deps.concurrency, attempts: 12, run: runJob, onGivenUp })

  return {
    start: async (): Promise<void> => {
      await reconcile()
      background.every(reconcileIntervalMs, taskName, reconcile)
    },

    /** Applies changes of the available or selected models. */
    reconcile: (): void => void reconcile(),

    /**
     * Starts embedding a file's passages, except those whose vectors can be copied from a
     * duplicate.
     * @returns whether any will be embedded
     */
    startEmbedding: async (
      tx: Tx,
      fileId: string,
      duplicateId: string | null,
    ): Promise<boolean> => {
      if (duplicateId !== null) {
        for (const { id } of indexes) await store.copy(tx, duplicateId, fileId, id)
      }
      const file = await files.byId(fileId, tx)
      if (!file || !usableIndex()) return false
      const jobs = indexes.map(({ id }) => createEmbedJob(id, file))
      await queue.add(tx, jobs)
      return true
    },

    /** The id of the active index. */
    active: (): string | null => active()?.id ?? null,

    /** The model used for semantic search; null if there is none. */
    model: (): string | null => usableIndex()?.model ?? null,

    /** The active index, and the one being built. */
    current: () => ({
      active: active() ?? null,
      building: indexes.find(({ state }) => state === "building") ?? null,
    }),

    embedQuestion: async (
      query: string,
      signal?: AbortSignal,
    ): Promise<QuestionEmbedding | null> => {
      const index = usableIndex()
      return index ? embedQuestion(embedder, { index, query, questionTimeoutMs, signal }) : null
    },

    vectorsOf: store.coarse,

    rescore: async (
      { indexId, values }: QuestionEmbedding,
      fileIds: readonly string[],
      hits: readonly ScoredHit[],
    ): Promise<ScoredHit[]> => {
      const dimensions = values.length
      const exact = await Promise.all(
        hits.map(async (hit) => {
          const at = { fileId: fileIds[hit.file] ?? "", passage: hit.passage, dimensions }
          const vector = await store.exact(indexId, at)
          return vector ? { ...hit, score: dotProduct(values, vector) } : hit
        }),
      )
      return exact.sort(compareHits)
    },
  }
}

export type EmbeddingIndexes = ReturnType<typeof createEmbeddingIndexes>
