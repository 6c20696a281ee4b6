import { availableParallelism } from "node:os"
import { join } from "node:path"
import {
  createExtractor,
  includedRecognitionLanguages,
  missingRecognitionLanguages,
  type RecognitionLanguages,
} from "@portico/extract"
import { maxPassages } from "@portico/search"
import type { Audit } from "../audit/audit.ts"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Bus } from "../bus/bus.ts"
import type { FairEventLoop } from "../concurrency/fair-event-loop.ts"
import type { UserLimits } from "../concurrency/user-limits.ts"
import type { Config } from "../config/config.ts"
import type { Database } from "../db/database.ts"
import type { RowLimits } from "../db/row-limits.ts"
import type { StorageMonitor } from "../db/storage-monitor.ts"
import type { JobQueue } from "../jobs/queue.ts"
import type { Transfers } from "../ownership/transfer.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import { createExtractionEngine } from "./extraction-engine.ts"
import { createFileHooks, type FileHooks } from "./file-hooks.ts"
import { createFileStore, type FileStore } from "./file-store.ts"
import { createFiles, type Files } from "./files.ts"
import { monitorObjectStore, monitorPartialUploads } from "./monitored-storage.ts"
import type { ObjectStore } from "./object-store.ts"
import { createFileOwnershipTransfer, type FileOwnershipTransfer } from "./ownership-transfer.ts"
import { createPartialUploads } from "./partial-uploads.ts"
import { createPassageStore, type PassageStore } from "./passage-store.ts"
import { createProcessingJobs, type ProcessingOptions } from "./processing-job.ts"
import { type Rereading, startRereading } from "./rereading.ts"
import { createResumableUploads, type ResumableUploads } from "./resumable-uploads.ts"
import { startStorageCleanup } from "./storage-cleanup.ts"
import { createUploadReceiver, type UploadReceiver } from "./upload-receiver.ts"
import { createUploadStore } from "./upload-store.ts"

const maxUnpackedBytes = 300e6
const maxPages = 5000
/** Leaves one core for requests. */
const defaultConcurrency = Math.min(2, Math.max(1, availableParallelism() - 1))

interface Deps extends ProcessingOptions {
  background: BackgroundTasks
  config: Config
  objectStore: ObjectStore
  watch: StorageMonitor["watch"]
  queue: JobQueue
  limits: Pick<UserLimits, "uploads">
  rowLimits: RowLimits
  storage: StorageQuota
  fairLoop: FairEventLoop
  db: Database
  bus: Bus
  audit: Audit
  transfers: Transfers
  newId: () => string
  now: () => number
  isClockTrusted: () => boolean
}

/** Everything that receives and stores files and extracts their text. */
export interface FileParts {
  fileStore: FileStore
  passages: PassageStore
  objects: ObjectStore
  files: Files
  uploadReceiver: UploadReceiver
  resumable: ResumableUploads
  fileTransfer: FileOwnershipTransfer
  rereading: Rereading
  /** Call before the job queue starts. */
  registerFileHooks(hooks: FileHooks): void
  close(): Promise<void>
}

/**
 * Languages that text recognition reads. An extraction engine recognizes text itself.
 * @throws if trained data is missing
 */
const recognitionLanguages = ({
  OCR_LANGUAGES,
  EXTRACTION_URL,
  DATA_DIR,
}: Config): RecognitionLanguages | null => {
  const codes = OCR_LANGUAGES ?? (EXTRACTION_URL ? [] : includedRecognitionLanguages)
  if (codes.length === 0) return null
  const languages = { codes, folder: join(DATA_DIR, "ocr") }
  const missing = missingRecognitionLanguages(languages)
  if (missing.length > 0) {
    throw new Error(
      `OCR_LANGUAGES: no data for ${missing.join(", ")}. Put ${missing[0]}.traineddata from https://github.com/tesseract-ocr/tessdata_fast into ${languages.folder}`,
    )
  }
  return languages
}

export const createFileParts = (deps: Deps): FileParts => {
  const { config, watch, db, storage, rowLimits, fairLoop } = deps
  const { uploads } = deps.limits
  const hooks = createFileHooks()
  const fileStore = createFileStore(db)
  const passages = createPassageStore(db)
  const objects = monitorObjectStore(deps.objectStore, watch)
  const extractor = createExtractor({
    seconds: config.EXTRACTION_TIMEOUT,
    memory: config.EXTRACTION_MEMORY,
    indexer: new URL("./pack-lexical-segment.ts", import.meta.url),
    recognition: recognitionLanguages(config),
  })
  const processingJobs = createProcessingJobs({
    ...deps,
    hooks,
    store: fileStore,
    passages,
    objects,
    extractor,
    limits: {
      characters: config.MAX_TEXT_LENGTH,
      unpacked: maxUnpackedBytes,
      pages: maxPages,
      passages: maxPassages,
    },
    engine: config.EXTRACTION_URL
      ? createExtractionEngine(config.EXTRACTION_ENGINE, {
          url: config.EXTRACTION_URL,
          seconds: config.EXTRACTION_TIMEOUT,
        })
      : null,
    concurrency: config.EXTRACTION_CONCURRENCY ?? defaultConcurrency,
  })
  for (const [name, kind] of Object.entries(processingJobs)) deps.queue.register(name, kind)
  const files = createFiles({ ...deps, hooks, store: fileStore, passages, objects })
  const resumable = createResumableUploads({
    ...deps,
    uploads,
    unfinished: config.MAX_UNFINISHED_UPLOADS,
    store: createUploadStore(db),
    partials: monitorPartialUploads(createPartialUploads(config.DATA_DIR), watch),
    objects,
    files,
    limit: config.MAX_UPLOAD_SIZE,
    requiresText: config.EXTRACTION_URL === undefined,
    lifetimeSeconds: config.UPLOAD_LIFETIME,
  })
  startStorageCleanup({
    ...deps,
    files,
    objects,
    resumable,
    isSoleProcess: config.DATABASE_URL === undefined,
  })
  return {
    fileStore,
    passages,
    objects,
    files,
    uploadReceiver: createUploadReceiver({
      objects,
      storage,
      rowLimits,
      uploads,
      shareOf: fairLoop.of,
      limit: config.MAX_UPLOAD_SIZE,
    }),
    resumable,
    rereading: startRereading(deps),
    fileTransfer: createFileOwnershipTransfer({ ...deps, files }),
    registerFileHooks: (registered) => void Object.assign(hooks, registered),
    close: async () => {
      extractor.close()
      await objects.close()
    },
  }
}
