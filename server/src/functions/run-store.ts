import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import type { Insertable } from "kysely"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import { runAsNobody } from "../concurrency/current-user.ts"
import { createMutex } from "../concurrency/mutex.ts"
import type { Database } from "../db/database.ts"
import type { FunctionRunRow } from "../db/function-tables.ts"
import { FunctionRun, LastRun } from "./run-schema.ts"

const maxRunsPerFunction = 50
const writeIntervalMs = 500
const maxQueued = 1000
const taskName = "write function runs"

const toRow = ({ log, trial, column, ...run }: FunctionRun): Insertable<FunctionRunRow> => ({
  ...run,
  column_number: column,
  trial: trial ? 1 : 0,
  log: JSON.stringify(log),
})

/** Log characters per transaction, so that other writes are not held up for long. */
const maxBatchCharacters = 32 * 1024

const splitIntoBatches = (runs: readonly FunctionRun[]): FunctionRun[][] => {
  const all: FunctionRun[][] = []
  let remaining = 0
  for (const run of runs) {
    const characters = run.log.reduce((sum, { text }) => sum + text.length, 1000)
    if (remaining < characters || all.length === 0) {
      all.push([])
      remaining = maxBatchCharacters
    }
    remaining -= characters
    all.at(-1)?.push(run)
  }
  return all
}

interface Deps {
  db: Database
  background: BackgroundTasks
}

/**
 * The most recent runs of each function. Written in the background: runs not yet written are lost
 * if the process crashes, which is acceptable for a history.
 */
export const createRunStore = ({ db, background }: Deps) => {
  let queue: FunctionRun[] = []
  const runExclusive = createMutex()

  /** Inserts runs of one function and deletes all but its latest. */
  const write = (functionId: string, runs: readonly FunctionRun[]): Promise<void> =>
    db.transactRelaxed(async (tx) => {
      const functionRow = await tx
        .selectFrom("functions")
        .select("id")
        .where("id", "=", functionId)
        .executeTakeFirst()
      if (!functionRow) return
      await tx.insertInto("function_runs").values(runs.map(toRow)).execute()
      const kept = tx
        .selectFrom("function_runs")
        .select("id")
        .where("function_id", "=", functionId)
        .orderBy("id", "desc")
        .limit(maxRunsPerFunction)
      await tx
        .deleteFrom("function_runs")
        .where("function_id", "=", functionId)
        .where("id", "not in", kept)
        .execute()
    })

  const writeAll = async (): Promise<void> => {
    const runs = queue
    queue = []
    for (const [id, some] of Map.groupBy(runs, ({ function_id }) => function_id)) {
      // Older runs would be deleted by the same write.
      for (const batch of splitIntoBatches(some.slice(-maxRunsPerFunction))) {
        await background.runInBackground(taskName, () => write(id, batch))
        await yieldToEventLoop()
      }
    }
  }

  const flush = (): Promise<void> => runAsNobody(() => runExclusive(writeAll))

  background.every(writeIntervalMs, taskName, flush)

  return {
    /** If the database cannot keep up, the oldest queued runs are dropped. */
    record: (run: FunctionRun): void => {
      queue.push(run)
      if (queue.length > maxQueued) queue = queue.slice(-maxQueued / 2)
    },

    /** Latest first. */
    list: async (functionId: string): Promise<FunctionRun[]> => {
      await flush()
      const rows = await db.read
        .selectFrom("function_runs")
        .selectAll()
        .where("function_id", "=", functionId)
        .orderBy("id", "desc")
        .limit(maxRunsPerFunction)
        .execute()
      return rows.map(({ column_number, trial, log, ...row }) =>
        FunctionRun.parse({
          ...row,
          column: column_number,
          trial: trial === 1,
          log: JSON.parse(log),
        }),
      )
    },

    /** The latest run of each function, by function id. */
    latest: async (): Promise<Map<string, LastRun>> => {
      await flush()
      const newest = db.read
        .selectFrom("function_runs")
        .select(({ fn }) => fn.max("id").as("id"))
        .groupBy("function_id")
      const rows = await db.read
        .selectFrom("function_runs")
        .select(["function_id", "outcome", "created_at"])
        .where("id", "in", newest)
        .execute()
      return new Map(rows.map(({ function_id, ...row }) => [function_id, LastRun.parse(row)]))
    },

    close: flush,
  }
}

export type RunStore = ReturnType<typeof createRunStore>
