import { availableParallelism } from "node:os"
import { createExtractor } from "@portico/extract"
import { maxPassages } from "@portico/search"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Bus } from "../bus/bus.ts"
import type { Config } from "../config/config.ts"
import type { Database, Tx } from "../db/database.ts"
import type { StorageMonitor } from "../db/storage-monitor.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import { createDiskObjectStore } from "./disk-object-store.ts"
import { createExtractionEngine } from "./extraction-engine.ts"
import { createFileStore } from "./file-store.ts"
import { monitorObjectStore } from "./monitored-storage.ts"
import type { ObjectStore } from "./object-store.ts"
import { createPassageStore } from "./passage-store.ts"
import { createProcessingJob, type ProcessingOptions } from "./processing-job.ts"

const maxUnpackedBytes = 300e6
const maxPages = 5000
/** Leaves one core for requests. */
const defaultConcurrency = Math.min(2, Math.max(1, availableParallelism() - 1))

interface Deps extends ProcessingOptions {
  background: BackgroundTasks
  config: Config
  watch: StorageMonitor["watch"]
  storage: StorageQuota
  db: Database
  bus: Bus
  now: () => number
  onSearchable: (tx: Tx, fileId: string, duplicateId: string | null) => Promise<boolean>
}

const openObjects = async ({ config, background }: Deps): Promise<ObjectStore> => {
  const { S3_URL: url, DATA_DIR: dataDir } = config
  if (!url) return createDiskObjectStore({ dataDir, background })
  const { createS3ObjectStore } = await import("./s3-object-store.ts")
  return createS3ObjectStore({ url, dataDir, background })
}

/** Creates the components that store files and extract their text. */
export const createFileComponents = async (deps: Deps) => {
  const { config, watch, db } = deps
  const store = createFileStore(db)
  const passages = createPassageStore(db)
  const objects = monitorObjectStore(await openObjects(deps), watch)
  const extractor = createExtractor({
    seconds: config.EXTRACTION_TIMEOUT,
    memory: config.EXTRACTION_MEMORY,
    indexer: new URL("./passage-indexer.ts", import.meta.url),
  })
  const processingJob = createProcessingJob({
    ...deps,
    store,
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
  return {
    store,
    passages,
    objects,
    reading: processingJob,
    close: async (): Promise<void> => {
      extractor.close()
      await objects.close()
    },
  }
}
