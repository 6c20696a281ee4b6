import type { Kysely, Transaction } from "kysely"
import { runAsNobody } from "../concurrency/current-user.ts"
import type { Tables } from "./tables.ts"
import type { RunSerialized } from "./transaction-mutex.ts"

export type Tx = Transaction<Tables>
export type Reader = Kysely<Tables>

export type EssentialWrites = Pick<
  Database,
  "transact" | "transactLocked" | "transactRelaxed" | "execute"
>

/** An open, migrated database. Code outside this folder does not depend on the dialect. */
export interface Database {
  dialect: "sqlite" | "postgres"
  /** File of the embedded database, from which other threads can open it; null on PostgreSQL. */
  file: string | null
  /** URL of the database server, from which other threads can connect; null on SQLite. */
  url: string | null
  /** For reads outside a transaction; a separate connection on SQLite. */
  read: Reader
  /**
   * For reads outside a transaction that scan many rows. On SQLite they run on a worker thread, so
   * they only delay each other.
   */
  backgroundReader: Reader
  /**
   * Runs `work` in one durable transaction; `afterCommit` callbacks run after it. Each user's
   * transactions take turns in this process, so one must not start another inside.
   * Inside, await only SQL on `tx` and turns of the event loop.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Like `transact`, while holding `locks`. Each is first awaited within this process, in sorted
   * order, so that a waiting transaction holds neither a connection nor SQLite's writer.
   */
  transactLocked<T>(locks: readonly string[], work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Like `transact`, without waiting for the disk: the commit survives a crash of the process, but
   * not of the machine. For records that no client was promised.
   */
  transactRelaxed<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Inserts rows in the background, as durable as `transactRelaxed`: all or none, skipping rows
   * whose `id` exists. On SQLite a worker thread writes them while requests proceed.
   * @param rows JSON objects, all with the same keys
   */
  append(table: "usage", rows: readonly string[]): Promise<void>
  /**
   * Runs `work`, during which another thread writes, while this thread's writers are paused:
   * waiting for SQLite's lock would block the event loop. What it committed is then durable.
   */
  runExternalWrite<T>(work: () => Promise<T>): Promise<T>
  /** Runs one statement as its own transaction, as durable as `transact`. */
  execute<T>(statement: (writer: Reader) => Promise<T>): Promise<T>
  /**
   * For sign-in, sessions, deletion, taking access, and what these need. The other writes fail with
   * `storage_full` before the disk is full, so that its last space is left for these.
   */
  essential: EssentialWrites
  /**
   * Serializes transactions that pass the same `lock`; held until commit or rollback. Holds the
   * transaction's connection while it waits: where the lock is known before, use `transactLocked`.
   */
  acquireLock(tx: Tx, lock: string): Promise<void>
  /**
   * Runs `work` while holding `lock`, across all processes. Unlike in a transaction, `work` may
   * await anything; its own transactions commit independently.
   */
  runExclusive<T>(lock: string, work: () => Promise<T>): Promise<T>
  /** Runs `work` on a separate connection without a statement timeout. */
  runWithoutTimeout<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>
  /** Checks that the database is writable; leaves no data behind. @throws the database's error */
  probe(): Promise<void>
  /** Frees what space it can on a full disk. */
  freeSpace(): Promise<void>
  close(): Promise<void>
}

/** What a command that runs beside the gateway needs of the database. */
export type CommandDatabase = Pick<
  Database,
  "dialect" | "backgroundReader" | "transactRelaxed" | "transactLocked" | "close"
>

const callbacksByTx = new WeakMap<Tx, (() => void)[]>()

/**
 * Calls `callback` once `tx` has committed; never if it rolls back. What it starts runs on nobody's
 * behalf.
 */
export const afterCommit = (tx: Tx, callback: () => void): void => {
  const callbacks = callbacksByTx.get(tx)
  if (!callbacks) throw new Error("afterCommit requires a transaction started by Database.transact")
  callbacks.push(callback)
}

interface TransactOptions {
  runSerialized: RunSerialized
  acquireLock: Database["acquireLock"]
  /** Flushes the commit to disk, where committing alone does not; the next may proceed meanwhile. */
  flush?: () => Promise<void>
  /** Throws if too little disk space is left; also called before the commit. */
  checkSpace?: () => void
}

/** Takes turns and locks in the process, then a connection, then the locks of all processes. */
export const createTransactLocked =
  (
    db: Kysely<Tables>,
    { runSerialized: takeTurn, acquireLock, flush, checkSpace }: TransactOptions,
  ): Database["transactLocked"] =>
  async (locks, work) => {
    const callbacks: (() => void)[] = []
    const result = await takeTurn(locks, () =>
      db.transaction().execute(async (tx) => {
        checkSpace?.()
        callbacksByTx.set(tx, callbacks)
        for (const lock of [...new Set(locks)].sort()) await acquireLock(tx, lock)
        const value = await work(tx)
        checkSpace?.()
        return value
      }),
    )
    await flush?.()
    runAsNobody(() => {
      for (const callback of callbacks) callback()
    })
    return result
  }

export const createTransact = (
  db: Kysely<Tables>,
  options: TransactOptions,
): Database["transact"] => {
  const transactLocked = createTransactLocked(db, options)
  return (work) => transactLocked([], work)
}
