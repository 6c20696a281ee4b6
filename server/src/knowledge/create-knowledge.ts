import type { Logger } from "pino"
import packageJson from "../../package.json" with { type: "json" }
import type { Audit } from "../audit/audit.ts"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Bus } from "../bus/bus.ts"
import type { FairEventLoop } from "../concurrency/fair-event-loop.ts"
import type { Config } from "../config/config.ts"
import type { ConnectionRegistry } from "../connections/connection-registry.ts"
import type { Database } from "../db/database.ts"
import type { RowLimits } from "../db/row-limits.ts"
import type { FileParts } from "../files/create-files.ts"
import type { Grants } from "../grants/grants.ts"
import type { RefreshCaller } from "../http/caller.ts"
import type { JobQueue } from "../jobs/queue.ts"
import type { ModelCatalogue } from "../models/catalogue.ts"
import { createDownloader } from "../outbound/download-file.ts"
import { createSsrfGuard } from "../outbound/ssrf-guard.ts"
import type { Transports } from "../outbound/transports.ts"
import type { Transfers } from "../ownership/transfer.ts"
import type { EndpointPrices } from "../prices/endpoint-prices.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import { createAttachments } from "./citations/attachments.ts"
import { createContextBudget } from "./citations/context-budget.ts"
import { createFileOwners } from "./citations/file-owners.ts"
import { createSourceFinder } from "./citations/source-finder.ts"
import { createSourceSelection } from "./citations/source-selection.ts"
import { createCollectionFileStore } from "./collections/collection-file-store.ts"
import { createCollectionStore } from "./collections/collection-store.ts"
import { createCollectionTransfer } from "./collections/collection-transfer.ts"
import { createCollections } from "./collections/collections.ts"
import {
  type BuiltInModelOptions,
  createBuiltInModels,
} from "./embedding/built-in/built-in-models.ts"
import { createEmbedder, type EmbedderOptions } from "./embedding/embedder.ts"
import { createEmbeddingGaps } from "./embedding/embedding-gaps.ts"
import {
  createEmbeddingIndexes,
  type EmbeddingIndexOptions,
} from "./embedding/embedding-indexes.ts"
import { createEmbeddingModels } from "./embedding/embedding-models.ts"
import { createEmbeddingStatusReader } from "./embedding/embedding-status.ts"
import { createModelInstaller } from "./embedding/model-installer.ts"
import { createQuestionLanguageDetector } from "./language/question-language.ts"
import {
  createQuestionSetParts,
  type QuestionSetOptions,
} from "./question-sets/create-question-sets.ts"
import { createQuestionStore } from "./question-sets/question-store.ts"
import { createFilePassages } from "./reading/file-passages.ts"
import { type AskRewritingModel, createQuestionRewriter } from "./rewriting/question-rewriter.ts"
import { type CacheWarmingOptions, startCacheWarming } from "./search/cache-warming.ts"
import { createLanguageSearch } from "./search/language-search.ts"
import { createReranker, rerankTimeouts } from "./search/reranker.ts"
import { createPassageRanking } from "./search/retrieval.ts"
import { combineWithIndex, createSearchClient } from "./search/search-client.ts"
import { createSearchExplanation } from "./search/search-explanation.ts"
import { createSearchableFiles } from "./search/searchable-files.ts"
import { createPgvector, type Pgvector } from "./vectors/pgvector.ts"
import { createPgvectorStore } from "./vectors/pgvector-store.ts"
import { createVectorStore } from "./vectors/vector-store.ts"
import { createVersionFinder } from "./versions/document-versions.ts"

/** How often to look for models that were placed in the data folder. */
const modelRefreshMs = 15_000

export type KnowledgeOptions = EmbedderOptions &
  EmbeddingIndexOptions &
  BuiltInModelOptions &
  CacheWarmingOptions &
  QuestionSetOptions

interface Deps extends KnowledgeOptions {
  background: BackgroundTasks
  config: Config
  fileParts: FileParts
  queue: JobQueue
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
  resolveModel: ModelCatalogue["resolve"]
  endpointPrices: EndpointPrices
  settings: SettingsStore
  askRewritingModel: AskRewritingModel
  newId: () => string
  now: () => number
  nowMs: () => number
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

/** Creates everything related to collections and to searching files. */
export const createKnowledge = async (deps: Deps) => {
  const { background, config, fileParts, fairLoop, transports, db, bus, grants } = deps
  const { registry, settings } = deps
  const { files, fileStore, passages } = fileParts
  const collectionStore = createCollectionStore({ db, grants })
  const pgvector = await openPgvector(deps)
  const builtIn = createBuiltInModels({
    ...deps,
    dataDir: config.DATA_DIR,
    hub: config.HF_ENDPOINT,
    downloadFile: createDownloader({ guard: createSsrfGuard([]), transports }),
  })
  const chosenModel = () => settings.current().embedding_model
  const models = createEmbeddingModels({ registry, builtIn, chosenModel })
  const vectors = createVectorStore(db, pgvector)
  const indexes = createEmbeddingIndexes({
    ...deps,
    models,
    embedder: createEmbedder({ ...deps, models, builtIn }),
    store: vectors,
    catchUp: async (known) => pgvector?.catchUp(known),
    files: fileStore,
    passages,
    concurrency: config.EMBEDDING_CONCURRENCY,
  })
  const searchableFiles = createSearchableFiles({ files })
  const collectionFiles = createCollectionFileStore(db)
  const questions = createQuestionStore(db)
  const collections = createCollections({
    ...deps,
    store: collectionStore,
    files,
    collectionFiles,
    countLostQuestions: questions.countLost,
    embeddingModel: indexes.model,
  })
  fileParts.registerFileHooks({
    onSearchable: indexes.startEmbedding,
    filterShared: collectionStore.sharedFiles,
    collectionUploads: collections.uploads,
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
  const questionLanguages = createQuestionLanguageDetector()
  const rankPassages = createPassageRanking({
    passages,
    searchClient,
    embedQuestion,
    rerank,
    rescore,
    fairLoop,
    rewriteQuestion: createQuestionRewriter({
      ...deps,
      askModel: deps.askRewritingModel,
      settings: settings.current,
      detectLanguage: questionLanguages.detectLanguage,
    }),
    filesLackingEmbeddings: createEmbeddingGaps(vectors),
  })
  const retrieval = createLanguageSearch({ rankPassages, embedQuestion })
  const findVersions = createVersionFinder({ passages, fairLoop })
  const selection = createSourceSelection({ passages, retrieval, findVersions })
  const addOwners = createFileOwners(db)
  const contextBudget = createContextBudget(settings.current, deps.endpointPrices.contextLengthOf)
  const questionSets = createQuestionSetParts({
    ...deps,
    ...{ files: fileStore, collections: collectionStore, collectionFiles, questions },
    ...{ selection, contextBudget },
    shared: () => ({
      budget: contextBudget({ model: null, conversation: [] }),
      contextLength: settings.current().default_context_length,
      // Replicas may reach the same model at different addresses.
      reranker: config.RERANK_URL ? (config.RERANK_MODEL ?? config.RERANK_URL) : "",
      version: packageJson.version,
    }),
    isSemanticSearchEnabled: models.isEnabled,
    isModelUsable: models.isUsable,
    usableModel: indexes.model,
  })

  const warmed = startCacheWarming({
    ...deps,
    searchClient: scanClient,
    files: fileStore.searchable,
    indexId: () => (pgvector?.isUsable() ? null : indexes.active()),
  })
  const installer = createModelInstaller({
    ...deps,
    installations: builtIn.installations,
    chosenModel,
    indexes,
  })
  await indexes.start()
  for (const source of [registry, settings, builtIn]) source.onChange(indexes.reconcile)
  background.every(modelRefreshMs, "look for embedding models", builtIn.refresh, {
    firstAfterMs: 0,
  })

  return {
    collections,
    collectionTransfer: createCollectionTransfer({
      ...deps,
      store: collectionStore,
      questionBytes: questions.bytes,
      fileTransfer: fileParts.fileTransfer,
    }),
    questionSets,
    embeddingStatus: createEmbeddingStatusReader({
      ...{ models, registry, settings, indexes, vectors, installer },
    }),
    modelInstaller: installer,
    explanation: createSearchExplanation({
      ...{ collections, selection, retrieval, contextBudget, addOwners },
      resolveModel: deps.resolveModel,
    }),
    reading: createFilePassages({ files, passages, store: collectionStore, fairLoop }),
    attaching: createAttachments({ files, collections }),
    contextBudget,
    sourceFinder: createSourceFinder({
      ...{ searchableFiles, collections, selection, addOwners },
    }),
    searchableFiles,
    /** Resolves when the files present at the start are in memory. */
    warmed,
    close: async (): Promise<void> => {
      await builtIn.close()
      await questionLanguages.close()
      await searchClient.close()
    },
  }
}
