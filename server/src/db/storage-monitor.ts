import type { Config } from "../config/config.ts"
import { storageTrouble } from "./connection-errors.ts"
import type { Database } from "./database.ts"
import { freeBytes, volumeBytes } from "./disk-space.ts"
import { openDatabase } from "./open.ts"
import type { PostgresOptions } from "./postgres.ts"

const sayAgainMs = 60_000
const defaultProbeMs = 5000
const lookMs = 60_000
/** Below this the log is about to be what fills the disk (`checkpointer.ts`). */
const headroomBytes = 512 * 1024 * 1024
/** Small volumes are warned of by their own measure. */
const headroomShare = 0.1

export type Storage = "database" | "files"

export interface StorageOptions extends PostgresOptions {
  /** Between tries of a storage that could not be written. */
  storageProbeMs?: number
}

interface Deps extends Pick<StorageOptions, "storageProbeMs"> {
  dataDir: string
  /** Writes a little, and nothing that stays. */
  probes: Readonly<Record<Storage, () => Promise<void>>>
  /** Called when a write found no room. */
  relieve: () => Promise<void>
  log: {
    error(fields: object, message: string): void
    warn(fields: object, message: string): void
    info(fields: object, message: string): void
    /** Begins to write what was said. */
    flush?(): void
  }
}

const words = {
  full: {
    database: "The database has no space left on its disk",
    files: "There is no space left for uploaded files",
  },
  broken: {
    database: "The database's disk cannot be written",
    files: "The storage of uploaded files cannot be written",
  },
} as const

const advice = {
  full: "Free space or enlarge the volume; what needs to be written is answered with 503 until then.",
  broken:
    "See whether its file system is mounted read-only, belongs to another user or reports errors; what needs to be written is answered with 503 until then.",
} as const

/** Knows whether writes reach the disk, from those that are made and, after one failed, by trying. */
const createStorageWatch = ({ dataDir, probes, relieve, log, ...options }: Deps) => {
  const { storageProbeMs: probeMs = defaultProbeMs } = options
  const troubles = new Map<Storage, string>()
  const saidAt = new Map<Storage, number>()
  /** Of whose trouble the log has a line. */
  const said = new Set<Storage>()
  let timer: NodeJS.Timeout | undefined
  let isLow = false

  const fine = (storage: Storage): void => {
    if (!troubles.delete(storage) || !said.delete(storage)) return
    log.info({ storage, data_dir: dataDir }, "storage can be written again")
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
        "The data folder's disk is nearly full. Free space or enlarge the volume: its last bytes are the database's.",
      )
    }
    isLow = low
  }
  void look()
  const looking = setInterval(() => void look(), lookMs).unref()

  return {
    watch,
    /** What cannot be written now, in words for an administrator; null while all can. */
    trouble: (): string | null => [...troubles.values()][0] ?? null,
    close: (): void => {
      clearInterval(looking)
      clearTimeout(timer)
    },
  }
}

export type StorageWatch = ReturnType<typeof createStorageWatch>

/** The same database, whose writes `watch` hears of. */
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

/** Opens the configured database and watches what is written to it. @throws when it is not to be had */
export const openWatched = async (
  config: Pick<Config, "DATABASE_URL" | "DATA_DIR">,
  { log, probeFiles, ...options }: WatchedDeps,
): Promise<{ db: Database; storage: StorageWatch }> => {
  const say = (message: string): void => {
    log.info({}, message)
    // A migration of the embedded database holds the loop until it is done.
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
