import type { Bus } from "../bus/bus.ts"
import type { Config } from "../config.ts"
import type { Database, Tx } from "../db/database.ts"
import { createDiskObjects } from "./disk-objects.ts"
import { createTika } from "./engine.ts"
import { createExtractor } from "./extractor.ts"
import { createPassageStore } from "./passage-store.ts"
import { createProcessing } from "./processing.ts"
import { createFileStore } from "./store.ts"

const unpackedBytes = 300e6
const mostPages = 5000

interface Needs {
  config: Config
  db: Database
  bus: Bus
  now: () => number
  searchable: (tx: Tx, fileId: string) => Promise<boolean>
}

/** The parts that keep and read files, built from the settings. */
export const createWorkshop = ({ config, db, bus, now, searchable }: Needs) => {
  const store = createFileStore(db)
  const passages = createPassageStore(db)
  const objects = createDiskObjects(config.DATA_DIR)
  const extractor = createExtractor({
    seconds: config.EXTRACTION_TIMEOUT,
    memory: config.EXTRACTION_MEMORY,
  })
  const reading = createProcessing({
    db,
    bus,
    store,
    passages,
    objects,
    extractor,
    limits: { characters: config.MAX_TEXT_LENGTH, unpacked: unpackedBytes, pages: mostPages },
    engine: config.EXTRACTION_URL
      ? createTika(config.EXTRACTION_URL, config.EXTRACTION_TIMEOUT)
      : null,
    concurrency: config.EXTRACTION_CONCURRENCY,
    now,
    searchable,
  })
  return { store, passages, objects, reading, close: extractor.close }
}
