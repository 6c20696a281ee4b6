import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Config } from "../config/config.ts"
import { Failure } from "../errors.ts"
import { type TranslatableMessage, translatable } from "../i18n/message.ts"
import type { Database, EssentialWrites } from "./database.ts"
import { freeBytes, volumeBytes } from "./disk-space.ts"
import { openDatabase } from "./open.ts"
import { storageFailureOf } from "./outages.ts"
import type { PostgresOptions } from "./postgres.ts"

const logIntervalMs = 60_000
const defaultProbeMs = 5000
const spaceCheckIntervalMs = 60_000
/** Below this the write-ahead log alone could fill the disk (see `checkpointer.ts`). */
const headroomBytes = 512 * 1024 * 1024
/** On small volumes, a share of the volume applies instead. */
const headroomShare = 0.1

export type StorageKind = "database" | "files"

export interface StorageMonitorOptions extends PostgresOptions {
  /** Interval in ms between write attempts to a storage that failed. */
  storageProbeMs?: number
}

interface Deps extends Pick<StorageMonitorOptions, "storageProbeMs"> {
  background: BackgroundTasks
  dataDir: string
  /** Checks that each storage is writable; leaves no data behind. */
  probes: Readonly<Record<StorageKind, () => Promise<void>>>
  /** Called when the database failed to write on a full disk. */
  freeSpace: () => Promise<void>
  log: {
    error(fields: object, message: string): void
    warn(fields: object, message: string): void
    info(fields: object, message: string): void
    /** Starts writing buffered lines. */
    flush?(): void
  }
}

const failureMessages = {
  full: {
    database: translatable("database_disk_full"),
    files: translatable("file_disk_full"),
  },
  broken: {
    database: translatable("database_disk_broken"),
    files: translatable("file_disk_broken"),
  },
} as const

const advice = {
  full: "Free up space or enlarge the volume. Until then, requests that write fail with status 503.",
  broken:
    "Check whether the file system is mounted read-only, belongs to another user, or reports errors. Until then, requests that write fail with status 503.",
} as const

/** Monitors whether writes succeed: by observing them and, after a failure, by probing. */
export interface StorageMonitor {
  /** Runs a write and records whether it succeeded. */
  watch<T>(storage: StorageKind, write: () => Promise<T>): Promise<T>
  /**
   * Runs an essential write, once more if the disk was full. Its success does not show that
   * ordinary writes succeed.
   */
  retryWhenFull<T>(write: () => Promise<T>): Promise<T>
  /** The current failure, for administrators; null if all storages are writable. */
  failureMessage(): TranslatableMessage | null
}

const createStorageMonitor = (deps: Deps): StorageMonitor => {
  const { background, dataDir, probes, freeSpace, log, ...options } = deps
  const { storageProbeMs: probeMs = defaultProbeMs } = options
  const failures = new Map<StorageKind, TranslatableMessage>()
  const loggedAt = new Map<StorageKind, number>()
  /** Storages whose failure was logged. */
  const logged = new Set<StorageKind>()
  let isLow = false

  const recordRecovery = (storage: StorageKind): void => {
    if (!failures.delete(storage) || !logged.delete(storage)) return
    log.info({ storage, data_dir: dataDir }, "Storage is writable again")
  }

  const logFailure = async (storage: StorageKind, message: string, error: Error): Promise<void> => {
    const lastLoggedAt = loggedAt.get(storage) ?? Number.NEGATIVE_INFINITY
    if (performance.now() - lastLoggedAt < logIntervalMs) return
    loggedAt.set(storage, performance.now())
    logged.add(storage)
    const free = await freeBytes(dataDir)
    log.error({ storage, data_dir: dataDir, free_bytes: free, error: error.message }, message)
  }

  const recordFailure = (storage: StorageKind, error: unknown): void => {
    const failure = storageFailureOf(error)
    if (!failure || !(error instanceof Error)) return
    const message = failureMessages[failure][storage]
    failures.set(storage, message)
    void logFailure(storage, `${message.text}. ${advice[failure]}`, error)
    // A `Failure` is the guard's, which leaves the reserve for essential writes.
    const isDiskFull = failure === "full" && !(error instanceof Failure)
    if (isDiskFull && storage === "database") {
      void background.runInBackground("free disk space", freeSpace)
    }
  }

  const watch = async <T>(storage: StorageKind, write: () => Promise<T>): Promise<T> => {
    try {
      const result = await write()
      if (failures.size > 0) recordRecovery(storage)
      return result
    } catch (error) {
      recordFailure(storage, error)
      throw error
    }
  }

  background.every(probeMs, "probe the storage", async () => {
    for (const storage of [...failures.keys()]) {
      // `watch` has recorded and logged the failure.
      await watch(storage, probes[storage]).catch(() => {})
    }
  })

  const checkSpace = async (): Promise<void> => {
    const headroom = Math.min(headroomBytes, volumeBytes(dataDir) * headroomShare)
    const free = await freeBytes(dataDir)
    const isBelowHeadroom = free < headroom
    if (isBelowHeadroom && !isLow) {
      log.warn(
        { data_dir: dataDir, free_bytes: free, headroom_bytes: Math.floor(headroom) },
        "The data folder's disk is nearly full. Free up space or enlarge the volume: the last bytes are reserved for the database.",
      )
    }
    isLow = isBelowHeadroom
  }
  background.every(spaceCheckIntervalMs, "check the disk space", checkSpace, { firstAfterMs: 0 })

  const retryWhenFull = async <T>(write: () => Promise<T>): Promise<T> => {
    try {
      return await write()
    } catch (error) {
      recordFailure("database", error)
      if (storageFailureOf(error) !== "full") throw error
      await freeSpace()
      return write()
    }
  }

  return {
    watch,
    retryWhenFull,
    failureMessage: () => [...failures.values()][0] ?? null,
  }
}

const wrapWrites = (
  writes: EssentialWrites,
  run: <T>(write: () => Promise<T>) => Promise<T>,
): EssentialWrites => ({
  transact: (work) => run(() => writes.transact(work)),
  transactLocked: (locks, work) => run(() => writes.transactLocked(locks, work)),
  transactRelaxed: (work) => run(() => writes.transactRelaxed(work)),
  execute: (statement) => run(() => writes.execute(statement)),
})

/** Wraps a database so that its writes are observed. */
const monitorWrites = (
  db: Database,
  { watch, retryWhenFull }: Pick<StorageMonitor, "watch" | "retryWhenFull">,
): Database => ({
  ...db,
  ...wrapWrites(db, (write) => watch("database", write)),
  essential: wrapWrites(db.essential, retryWhenFull),
  runExternalWrite: (work) => watch("database", () => db.runExternalWrite(work)),
  append: (table, rows) => watch("database", () => db.append(table, rows)),
})

interface MonitoredDatabaseDeps extends StorageMonitorOptions {
  background: BackgroundTasks
  log: Deps["log"]
  probeFiles: () => Promise<void>
}

/** Opens the configured database and monitors its writes. @throws if it is not available */
export const openMonitoredDatabase = async (
  config: Pick<Config, "DATABASE_URL" | "DATA_DIR">,
  { background, log, probeFiles, ...options }: MonitoredDatabaseDeps,
): Promise<{ db: Database; storage: StorageMonitor }> => {
  const report = (message: string): void => {
    log.info({}, message)
    // A migration of the embedded database blocks the event loop until it is done.
    log.flush?.()
  }
  const opened = await openDatabase(config, { ...options, background, report })
  const storage = createStorageMonitor({
    background,
    dataDir: config.DATA_DIR,
    probes: { database: opened.probe, files: probeFiles },
    freeSpace: opened.freeSpace,
    log,
    ...options,
  })
  return { db: monitorWrites(opened, storage), storage }
}
