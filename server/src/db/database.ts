import type { Kysely, Transaction } from "kysely"
import type { Tables } from "./tables.ts"

export type Tx = Transaction<Tables>
export type Reader = Kysely<Tables>

/** A database opened and migrated. Everything outside this folder is the same on each. */
export interface Database {
  dialect: "sqlite" | "postgres"
  /** Where an embedded database lies, for threads that open it by themselves; null elsewhere. */
  file: string | null
  /** Where a database server is, for threads that connect to it by themselves; null elsewhere. */
  url: string | null
  /** For reads outside a transaction; on SQLite a connection of its own. */
  read: Reader
  /**
   * For reads outside a transaction that go through a great many rows: on SQLite a thread of its own,
   * so that nobody waits for them but each other.
   */
  aside: Reader
  /**
   * Runs `work` in one durable transaction; `afterCommit` callbacks follow it.
   * Await nothing but SQL of `tx` inside, and turns of the event loop.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * The same without waiting for the disk: kept through any death of the process, but not through
   * one of the machine. For records that nobody was promised.
   */
  transactLoosely<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Adds rows behind everybody's back, kept as by `transactLoosely`: all of them or none, and one
   * whose `id` is there already not again. On SQLite a thread writes them while requests go on.
   * @param rows each a JSON object, all with the same columns
   */
  append(table: "usage", rows: readonly string[]): Promise<void>
  /**
   * Runs `work`, in which another thread writes, while nobody here does: a writer would wait for the
   * embedded database's lock without letting go of the loop. What was committed is durable then.
   */
  handOver<T>(work: () => Promise<T>): Promise<T>
  /** As durable as `transact`, for one statement: it is a transaction of its own. */
  execute<T>(statement: (writer: Reader) => Promise<T>): Promise<T>
  /** Makes transactions that name the same `lock` run one after another until each commits. */
  exclusive(tx: Tx, lock: string): Promise<void>
  /**
   * Runs `work` alone among all that name the same `lock`, in every process. Unlike a transaction it
   * may wait for anything; transactions of its own are durable one by one.
   */
  alone<T>(lock: string, work: () => Promise<T>): Promise<T>
  /** Runs `work` on a connection of its own, where a statement may take as long as it takes. */
  patiently<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>
  /** Writes a little, and nothing that stays. @throws what the database says of it */
  probe(): Promise<void>
  /** Makes what room it can where its disk is full. */
  relieve(): Promise<void>
  close(): Promise<void>
}

const callbacksByTx = new WeakMap<Tx, (() => void)[]>()

/** Calls back once `tx` has committed, and never when it rolls back. */
export const afterCommit = (tx: Tx, callback: () => void): void => {
  const callbacks = callbacksByTx.get(tx)
  if (!callbacks) throw new Error("afterCommit needs a transaction of Database.transact")
  callbacks.push(callback)
}

/** @param kept waits until what was committed is on the disk, where the commit itself does not */
export const transactOn =
  (db: Kysely<Tables>, kept?: () => Promise<void>): Database["transact"] =>
  async (work) => {
    const callbacks: (() => void)[] = []
    const result = await db.transaction().execute((tx) => {
      callbacksByTx.set(tx, callbacks)
      return work(tx)
    })
    await kept?.()
    for (const callback of callbacks) callback()
    return result
  }
