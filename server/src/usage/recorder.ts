import { setImmediate as turn } from "node:timers/promises"
import type { CompiledQuery, Insertable } from "kysely"
import type { Database, Tx } from "../db/database.ts"
import { isOutage } from "../db/outage.ts"
import type { UsageRow } from "../db/tables.ts"

const writeMs = 500
/** By one statement in one transaction: more would cost no less, and hold up requests for longer. */
const rowsPerBatch = 100
const mostQueued = 20_000

export type UsageRecord = Insertable<UsageRow>

const compile = (tx: Tx, rows: readonly UsageRecord[]): CompiledQuery =>
  tx
    .insertInto("usage")
    .values([...rows])
    // A commit whose answer was lost is written again.
    .onConflict((conflict) => conflict.column("id").doNothing())
    .compile()

/** Building a statement costs more than running it: one for many rows and one for a row are kept. */
const createInsertion = () => {
  const compiled = new Map<number, CompiledQuery>()
  let columns: (keyof UsageRecord)[] = []

  const insertionOf = (tx: Tx, rows: readonly UsageRecord[]): CompiledQuery => {
    const known = compiled.get(rows.length)
    if (known) {
      return { ...known, parameters: rows.flatMap((row) => columns.map((name) => row[name])) }
    }
    const made = compile(tx, rows)
    compiled.set(rows.length, made)
    columns = Object.keys(rows[0] ?? {}) as (keyof UsageRecord)[]
    return made
  }

  return async (tx: Tx, rows: readonly UsageRecord[]): Promise<void> => {
    const groups = rows.length === rowsPerBatch ? [rows] : rows.map((row) => [row])
    for (const group of groups) await tx.executeQuery(insertionOf(tx, group))
  }
}

/**
 * Writes usage in batches behind the requests' backs. A full queue drops new records and counts
 * them: keeping book never slows a request.
 */
export const createRecorder = (db: Database) => {
  let queue: UsageRecord[] = []
  let dropped = 0
  const insertion = createInsertion()
  let writing: Promise<void> | undefined

  const write = async (rows: readonly UsageRecord[]): Promise<void> => {
    await db.transactLoosely((tx) => insertion(tx, rows))
  }

  /** A record that no database takes must not keep the others waiting. */
  const writeWhatCan = async (rows: readonly UsageRecord[]): Promise<void> => {
    try {
      await write(rows)
    } catch (error) {
      if (isOutage(error)) throw error
      if (rows.length === 1) {
        dropped++
        return
      }
      const half = Math.ceil(rows.length / 2)
      await writeWhatCan(rows.slice(0, half))
      await writeWhatCan(rows.slice(half))
    }
  }

  /** A batch at a time, so that no request waits for more than one. */
  const writeFirst = async (count: number): Promise<void> => {
    for (let left = count; left > 0; ) {
      const rows = queue.slice(0, Math.min(left, rowsPerBatch))
      await writeWhatCan(rows)
      queue = queue.slice(rows.length)
      left -= rows.length
      await turn()
    }
  }

  const start = (count: number): Promise<void> => {
    writing ??= writeFirst(count).finally(() => {
      writing = undefined
    })
    return writing
  }

  /** What is queued by now: what comes meanwhile is left to become a whole batch. */
  const flush = async (): Promise<void> => {
    while (writing !== undefined) await writing
    await start(queue.length)
  }
  // What could not be written stays queued for the next turn.
  const writeSoon = (): void =>
    void start(queue.length - (queue.length % rowsPerBatch)).catch(() => {})
  const timer = setInterval(() => void flush().catch(() => {}), writeMs).unref()

  return {
    record: (row: UsageRecord): void => {
      if (queue.length >= mostQueued) dropped++
      else if (queue.push(row) >= rowsPerBatch) writeSoon()
    },
    dropped: (): number => dropped,
    queued: (): number => queue.length,
    flush,
    close: async (): Promise<void> => {
      clearInterval(timer)
      await flush().catch(() => {})
    },
  }
}

export type Recorder = ReturnType<typeof createRecorder>
