import type { Database } from "../db/database.ts"
import type { Actor } from "../http/caller.ts"
import type { Audit } from "./audit.ts"

/** Repetitions within this time become one event with a count. */
const foldMs = 60_000
const maxOpen = 10_000

interface Folded {
  actor: Actor
  action: string
  target: { type: string; id: string } | undefined
  status: number
  /** The reason, if the action does not imply it. */
  after?: Record<string, unknown>
  count: number
}

/**
 * Records failed attempts. The first is written immediately; repetitions are counted and written
 * together, so that a flood costs one row a minute.
 */
export const createFailureTrail = ({ db, audit }: { db: Database; audit: Audit }) => {
  const openByKey = new Map<string, Folded>()

  const write = (failures: readonly Folded[]): Promise<void> =>
    db.transact(async (tx) => {
      for (const failure of failures) await audit.record(tx, { ...failure, outcome: "failure" })
    })

  /** Writes the pending counts; if that fails, they stay pending. */
  const flush = async (): Promise<void> => {
    const open = [...openByKey]
    openByKey.clear()
    const repeated = open.filter(([, { count }]) => count > 0)
    if (repeated.length === 0) return
    try {
      await write(repeated.map(([, failure]) => failure))
    } catch (error) {
      for (const [key, failure] of repeated) {
        const since = openByKey.get(key)
        openByKey.set(key, { ...failure, count: failure.count + (since?.count ?? 0) })
      }
      throw error
    }
  }

  const timer = setInterval(() => void flush().catch(() => {}), foldMs).unref()

  return {
    flush,
    close: async (): Promise<void> => {
      clearInterval(timer)
      await flush().catch(() => {})
    },
    record: async (failure: Omit<Folded, "count">): Promise<void> => {
      const { actor, action, target, after } = failure
      const why = JSON.stringify(after)
      const key = [action, actor.address, actor.id, target?.type, target?.id, why].join(" ")
      const open = openByKey.get(key)
      if (open) {
        open.count++
        return
      }
      if (openByKey.size >= maxOpen) await flush()
      const folded = { ...failure, count: 0 }
      openByKey.set(key, folded)
      try {
        await write([{ ...failure, count: 1 }])
      } catch (error) {
        folded.count++
        throw error
      }
    },
  }
}

export type FailureTrail = ReturnType<typeof createFailureTrail>
