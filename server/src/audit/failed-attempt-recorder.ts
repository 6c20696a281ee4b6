import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Database } from "../db/database.ts"
import type { Actor } from "../http/caller.ts"
import type { Audit } from "./audit.ts"

/** Repetitions within this time become one event with a count. */
const aggregationMs = 60_000
const maxAggregated = 10_000
const taskName = "record failed attempts"

interface FailedAttempt {
  actor: Actor
  action: string
  target: { type: string; id: string } | undefined
  status: number
  /** The reason, if the action does not imply it. */
  after?: Record<string, unknown>
}

interface AggregatedFailure extends FailedAttempt {
  count: number
}

interface Deps {
  background: BackgroundTasks
  db: Database
  audit: Audit
}

/**
 * Records failed attempts. The first is written immediately; repetitions are counted and written
 * together, so that a flood costs one row a minute.
 */
export interface FailedAttemptRecorder {
  record(failure: FailedAttempt): Promise<void>
  /** Like `record`, for attempts whose own error must not be replaced; never rejects. */
  recordInBackground(failure: FailedAttempt): Promise<boolean>
  /** Writes the pending counts; if that fails, they stay pending. */
  flush(): Promise<void>
  close(): Promise<void>
}

export const createFailedAttemptRecorder = ({
  background,
  db,
  audit,
}: Deps): FailedAttemptRecorder => {
  const aggregatedByKey = new Map<string, AggregatedFailure>()

  const write = (failures: readonly AggregatedFailure[]): Promise<void> =>
    db.essential.transact(async (tx) => {
      for (const failure of failures) await audit.record(tx, { ...failure, outcome: "failure" })
    })

  const flush = async (): Promise<void> => {
    const open = [...aggregatedByKey]
    aggregatedByKey.clear()
    const repeated = open.filter(([, { count }]) => count > 0)
    if (repeated.length === 0) return
    try {
      await write(repeated.map(([, failure]) => failure))
    } catch (error) {
      for (const [key, failure] of repeated) {
        const since = aggregatedByKey.get(key)
        aggregatedByKey.set(key, { ...failure, count: failure.count + (since?.count ?? 0) })
      }
      throw error
    }
  }

  background.every(aggregationMs, taskName, flush)

  const record = async (failure: FailedAttempt): Promise<void> => {
    const { actor, action, target, after } = failure
    const why = JSON.stringify(after)
    const key = [action, actor.address, actor.id, target?.type, target?.id, why].join(" ")
    const open = aggregatedByKey.get(key)
    if (open) {
      open.count++
      return
    }
    if (aggregatedByKey.size >= maxAggregated) await flush()
    const aggregated = { ...failure, count: 0 }
    aggregatedByKey.set(key, aggregated)
    try {
      await write([{ ...failure, count: 1 }])
    } catch (error) {
      aggregated.count++
      throw error
    }
  }

  return {
    record,
    recordInBackground: (failure) => background.runInBackground(taskName, () => record(failure)),
    flush,
    close: async () => {
      await background.runInBackground(taskName, flush)
    },
  }
}
