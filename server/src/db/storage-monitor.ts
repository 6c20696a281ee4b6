import type { Config } from "../config/config.ts"
import { storageTrouble } from "./connection-errors.ts"
import type { Database } from "./database.ts"
import { freeBytes, volumeBytes } from "./disk-space.ts"
import { openDatabase } from "./open.ts"
import type { PostgresOptions } from "./postgres.ts"

const sayAgainMs = 60_000
const defaultProbeMs = 5000
const lookMs = 60_000
/** Below this the write-ahead log alone could fill the disk (see `checkpointer.ts`). */
const headroomBytes = 512 * 1024 * 1024
/** On small volumes, a share of the volume applies instead. */
const headroomShare = 0.1

export type Storage = "database" | "files"

export interface StorageOptions extends PostgresOptions {
  /** Interval in ms between write attempts to a storage that failed. */
  storageProbeMs?: number
}

interface Deps extends Pick<StorageOptions, "storageProbeMs"> {
  dataDir: string
  /** Checks that each storage is writable; leaves no data behind. */
  probes: Readonly<Record<Storage, () => Promise<void>>>
  /** Called when the database failed to write on a full disk. */
  relieve: () => Promise<void>
  log: {
    error(fields: object, message: string): void
    warn(fields: object, message: string): void
    info(fields: object, message: string): void
    /** Starts writing buffered lines. */
    flush?(): void
  }
}

const words = {
  full: {
    database: "The database's disk is full",
    files: "The disk for uploaded files is full",
  },
  broken: {
    database: "Cannot write to the database's disk",
    files: "Cannot write to the storage for uploaded files",
  },
} as const

const advice = {
  full: "Free up space or enlarge the volume. Until then, requests that write fail with status 503.",
  broken:
    "Check whether the file system is mounted read-only, belongs to another user, or reports errors. Until then, requests that write fail with status 503.",
} as const

/** Monitors whether writes succeed: by observing them and, after a failure, by probing. */
const createStorageWatch = ({ dataDir, probes, relieve, log, ...options }: Deps) => {
  const { storageProbeMs: probeMs = defaultProbeMs } = options
  const troubles = new Map<Storage, string>()
  const saidAt = new Map<Storage, number>()
  /** Storages whose failure was logged. */
  const said = new Set<Storage>()
  let timer: NodeJS.Timeout | undefined
  let isLow = false

  const fine = (storage: Storage): void => {
    if (!troubles.delete(storage) || !said.delete(storage)) return
    log.info({ storage, data_dir: dataDir }, "Storage is writable again")
  }

  const say = async (storage: Storage, message: string, error: Error): Promise<void> => {
    const last = saidAt.get(storage) ?? Number.NEGATIVE_INFINITY
    if (performance.now() - last < sayAgainMs) return
    saidAt.set(storage, performance.now())
    said.add(storage)
    const free = await freeBytes(dataDir)
    log.error({ storage, data_dir: dataDir, free_bytes: free, error: error.message }, message)
  }

  const note = (storage: Storage, error: unknown): void => {
    const trouble = storageTrouble(error)
    if (!trouble || !(error instanceof Error)) return
    const sentence = words[trouble][storage]
    troubles.set(storage, sentence)
    void say(storage, `${sentence}. ${advice[trouble]}`, error)
    if (trouble === "full" && storage === "database") relieve().catch(() => {})
    timer ??= setTimeout(() => void probe(), probeMs).unref()
  }

  const watch = async <T>(storage: Storage, write: () => Promise<T>): Promise<T> => {
    try {
      const result = await write()
      if (troubles.size > 0) fine(storage)
      return result
    } catch (error) {
      note(storage, error)
      throw error
    }
  }

  const probe = async (): Promise<void> => {
    for (const storage of [...troubles.keys()]) {
      await watch(storage, probes[storage]).catch(() => {})
    }
    timer = troubles.size > 0 ? setTimeout(() => void probe(), probeMs).unref() : undefined
  }

  const look = async (): Promise<void> => {
    const headroom = Math.min(headroomBytes, volumeBytes(dataDir) * headroomShare)
    const free = await freeBytes(dataDir)
    const low = free < headroom
    if (low && !isLow) {
      log.warn(
        { data_dir: dataDir, free_bytes: free, headroom_bytes: Math.floor(headroom) },
        "The data folder's disk is nearly full. Free up space or enlarge the volume: the last bytes are reserved for the database.",
      )
    }
    isLow = low
  }
  void look()
  const looking = setInterval(() => void look(), lookMs).unref()

  return {
    watch,
    /** The current failure as a sentence for administrators; null if all storages are writable. */
    trouble: (): string | null => [...troubles.values()][0] ?? null,
    close: (): void => {
      clearInterval(looking)
      clearTimeout(timer)
    },
  }
}

export type StorageWatch = ReturnType<typeof createStorageWatch>

/** Wraps a database so that `watch` observes its writes. */
const watchWrites = (db: Database, { watch }: Pick<StorageWatch, "watch">): Database => ({
  ...db,
  transact: (work) => watch("database", () => db.transact(work)),
  transactLoosely: (work) => watch("database", () => db.transactLoosely(work)),
  append: (table, rows) => watch("database", () => db.append(table, rows)),
  execute: (statement) => watch("database", () => db.execute(statement)),
})

interface WatchedDeps extends StorageOptions {
  log: Deps["log"]
  probeFiles: () => Promise<void>
}

/** Opens the configured database and monitors its writes. @throws if it is not available */
export const openWatched = async (
  config: Pick<Config, "DATABASE_URL" | "DATA_DIR">,
  { log, probeFiles, ...options }: WatchedDeps,
): Promise<{ db: Database; storage: StorageWatch }> => {
  const say = (message: string): void => {
    log.info({}, message)
    // A migration of the embedded database blocks the event loop until it is done.
    log.flush?.()
  }
  const opened = await openDatabase(config, { ...options, say })
  const storage = createStorageWatch({
    dataDir: config.DATA_DIR,
    probes: { database: opened.probe, files: probeFiles },
    relieve: opened.relieve,
    log,
    ...options,
  })
  return { db: watchWrites(opened, storage), storage }
}
