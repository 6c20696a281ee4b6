import type { Logger } from "pino"
import type { Audit } from "../audit/audit.ts"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Bus } from "../bus/bus.ts"
import type { Config } from "../config/config.ts"
import type { ConnectionRegistry } from "../connections/connection-registry.ts"
import type { Database } from "../db/database.ts"
import type { RowLimits } from "../db/row-limits.ts"
import type { StorageMonitor } from "../db/storage-monitor.ts"
import { createFileComponents } from "../files/create-files.ts"
import { createFiles } from "../files/files.ts"
import { monitorPartialUploads } from "../files/monitored-storage.ts"
import { createPartialUploads } from "../files/partial-uploads.ts"
import type { ProcessingOptions } from "../files/processing-job.ts"
import { createResumableUploads } from "../files/resumable-uploads.ts"
import { startStorageCleanup } from "../files/storage-cleanup.ts"
import { createFileTransfer } from "../files/transfer.ts"
import { createUploadReceiver } from "../files/upload-receiver.ts"
import { createUploadStore } from "../files/upload-store.ts"
import type { Grants } from "../grants/grants.ts"
import type { RefreshCaller } from "../http/caller.ts"
import { createJobQueue, type JobKind, type JobQueueOptions } from "../jobs/queue.ts"
import type { FairEventLoop } from "../limits/fair-loop.ts"
import type { UserLimits } from "../limits/user-limits.ts"
import type { Transports } from "../outbound/transport.ts"
import type { Transfers } from "../ownership/transfer.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import { createAttachments } from "./attachments.ts"
import { type BuiltInModelOptions, createBuiltInModel } from "./built-in/built-in-model.ts"
import { startCacheWarming } from "./cache-warming.ts"
import { createCitations } from "./citations.ts"
import { createCollectionFileStore } from "./collection-file-store.ts"
import { createCollections } from "./collections.ts"
import { createEmbedder, type EmbedderOptions } from "./embedder.ts"
import { createEmbeddingGaps } from "./embedding-gaps.ts"
import { createEmbeddingIndexes, type EmbeddingIndexOptions } from "./embedding-indexes.ts"
import { createEmbeddingModels } from "./embedding-models.ts"
import { createEmbeddingStatus } from "./embedding-status.ts"
import { createFilePassages } from "./file-passages.ts"
import { createPgvector, type Pgvector } from "./pgvector.ts"
import { createPgvectorStore } from "./pgvector-store.ts"
import { createReranker, rerankTimeouts } from "./reranker.ts"
import { createRetrieval } from "./retrieval.ts"
import { combineWithIndex, createSearchClient } from "./search-client.ts"
import { createSearchExplanation } from "./search-explanation.ts"
import { createSearchableFiles } from "./searchable-files.ts"
import { createSourceSelection } from "./source-selection.ts"
import { createCollectionStore } from "./store.ts"
import { createCollectionTransfer } from "./transfer.ts"
import { createVectorStore } from "./vector-store.ts"

export type KnowledgeOptions = JobQueueOptions &
  EmbedderOptions &
  ProcessingOptions &
  EmbeddingIndexOptions &
  BuiltInModelOptions

interface Deps extends KnowledgeOptions {
  background: BackgroundTasks
  config: Config
  watch: StorageMonitor["watch"]
  limits: Pick<UserLimits, "uploads">
  rowLimits: RowLimits
  storage: StorageQuota
  fairLoop: FairEventLoop
  transports: Transports
  db: Database
  bus: Bus
  audit: Audit
  grants: Grants
  transfers: Transfers
  /** The models that search a collection. */
  dependentsOf: Parameters<typeof createCollections>[0]["dependentsOf"]
  registry: ConnectionRegistry
  /** Other jobs that the queue runs. */
  jobKinds: Readonly<Record<string, JobKind>>
  settings: SettingsStore
  newId: () => string
  now: () => number
  isClockTrusted: () => boolean
  refreshCaller: RefreshCaller
  log: Logger
}

/** Null on SQLite. */
const openPgvector = async (deps: Deps): Promise<Pgvector | null> => {
  if (deps.db.dialect !== "postgres") return null
  const pgvector = createPgvector({ ...deps, store: createPgvectorStore(deps.db) })
  await pgvector.open()
  return pgvector
}

/** Creates everything related to files and collections. */
export const createKnowledge = async (deps: Deps) => {
  const {
    background,
    config,
    limits,
    rowLimits,
    storage,
    fairLoop,
    transports,
    db,
    bus,
    audit,
    grants,
    registry,
    settings,
    newId,
    now,
    isClockTrusted,
  } = deps
  const isSingleNode = config.DATABASE_URL === undefined
  const collectionStore = createCollectionStore({ db, grants })
  const processing = await createFileComponents({
    ...deps,
    onSearchable: (tx, fileId, duplicateId) => indexes.startEmbedding(tx, fileId, duplicateId),
  })
  const { passages, objects } = processing
  const pgvector = await openPgvector(deps)
  const builtIn = createBuiltInModel(deps)
  const chosenModel = () => settings.current().embedding_model
  const models = createEmbeddingModels({ registry, builtIn, chosenModel })
  const vectors = createVectorStore(db, pgvector)
  const indexes = createEmbeddingIndexes({
    ...deps,
    models,
    embedder: createEmbedder({ ...deps, models, builtIn }),
    store: vectors,
    catchUp: async (known) => pgvector?.catchUp(known),
    files: processing.store,
    passages,
    concurrency: config.EMBEDDING_CONCURRENCY,
  })
  const kinds = { ...deps.jobKinds, read: processing.reading, embed: indexes.kind }
  const queue = createJobQueue({ ...deps, kinds, alone: isSingleNode })
  const files = createFiles({
    db,
    bus,
    audit,
    store: processing.store,
    passages,
    objects,
    queue,
    rowLimits,
    newId,
    now,
    filterShared: collectionStore.sharedFiles,
    collectionUploads: () => collections.uploads,
  })
  const searchableFiles = createSearchableFiles({ files })
  const fileTransfer = createFileTransfer({ ...deps, files })
  const collections = createCollections({
    ...{ dependentsOf: deps.dependentsOf },
    db,
    bus,
    audit,
    store: collectionStore,
    files,
    collectionFiles: createCollectionFileStore(db),
    rowLimits,
    embeddingModel: indexes.model,
    newId,
    now,
    refreshCaller: deps.refreshCaller,
  })
  const scanClient = createSearchClient({
    bus,
    passages,
    file: db.file,
    vectorsOf: indexes.vectorsOf,
  })
  const searchClient = pgvector ? combineWithIndex(scanClient, pgvector) : scanClient
  const { embedQuestion, rescore } = indexes
  const rerank = config.RERANK_URL
    ? createReranker({
        transport: transports.open({ baseUrl: config.RERANK_URL, timeouts: rerankTimeouts }),
        model: config.RERANK_MODEL,
        key: config.RERANK_API_KEY,
      })
    : null
  const retrieval = createRetrieval({
    passages,
    searchClient,
    embedQuestion,
    rerank,
    rescore,
    fairLoop,
    filesLackingEmbeddings: createEmbeddingGaps(vectors),
  })
  const selection = createSourceSelection({ passages, retrieval })
  const maxTokens = () => deps.settings.current().rag_token_budget

  const { uploads } = limits
  const resumable = createResumableUploads({
    db,
    storage,
    rowLimits,
    uploads,
    fairLoop,
    unfinished: config.MAX_UNFINISHED_UPLOADS,
    store: createUploadStore(db),
    partials: monitorPartialUploads(createPartialUploads(config.DATA_DIR), deps.watch),
    objects,
    files,
    limit: config.MAX_UPLOAD_SIZE,
    requireReadable: config.EXTRACTION_URL === undefined,
    lifetimeSeconds: config.UPLOAD_LIFETIME,
    newId,
    now,
    isClockTrusted,
  })
  const warmed = startCacheWarming({
    background,
    searchClient: scanClient,
    files: processing.store.searchable,
    indexId: () => (pgvector?.isUsable() ? null : indexes.active()),
  })
  startStorageCleanup({
    background,
    files,
    objects,
    resumable,
    isSoleProcess: isSingleNode,
    isClockTrusted,
  })
  await queue.start()
  await indexes.start(queue)
  for (const source of [registry, settings, builtIn]) source.onChange(indexes.reconcile)

  return {
    files,
    receiver: createUploadReceiver({
      objects,
      storage,
      rowLimits,
      uploads,
      shareOf: fairLoop.of,
      limit: config.MAX_UPLOAD_SIZE,
    }),
    objects,
    addJobs: queue.add,
    resumable,
    collections,
    fileTransfer,
    collectionTransfer: createCollectionTransfer({ ...deps, store: collectionStore, fileTransfer }),
    embeddingStatus: createEmbeddingStatus({ models, registry, settings, indexes, vectors }),
    explanation: createSearchExplanation({ collections, selection, retrieval, maxTokens }),
    reading: createFilePassages({ files, passages, store: collectionStore }),
    attaching: createAttachments({ files, collections }),
    citations: createCitations({
      searchableFiles,
      ...{ collections, selection, retrieval, maxTokens },
    }),
    searchableFiles,
    /** Resolves when the files present at the start are in memory. */
    warmed,
    close: async (): Promise<void> => {
      await queue.close()
      builtIn.close()
      await processing.close()
      await searchClient.close()
    },
  }
}
