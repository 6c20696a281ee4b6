import { randomUUID } from "node:crypto"
import { z } from "zod"
import type { Database, Tx } from "../db/database.ts"
import { createFailureDetector } from "../db/failure-detector.ts"
import type { AuditReader } from "./reader.ts"
import type { AuditEvent, AuditStatus } from "./schema.ts"
import { type Sink, Unacceptable } from "./sinks.ts"
import { readState, writeState } from "./state-store.ts"

const lookMs = 1000
/** Longer than a delivery attempt may take. */
const leaseMs = 60_000
const maxPauseMs = 60_000
const stateName = "stream"

const StreamState = z.object({
  /** The last block that was sent completely. */
  block: z.int(),
  /** Epoch seconds. */
  sent_at: z.int().nullable(),
  dropped: z.int(),
  error: z.string().nullable(),
  /** The sending process; its lease ends at `lease_until`, in epoch ms. */
  holder: z.string().nullable(),
  lease_until: z.int(),
})
type StreamState = z.output<typeof StreamState>

interface Deps {
  db: Database
  reader: AuditReader
  sink: Sink
  now: () => number
  report: (error: unknown) => void
}

const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 300)

/**
 * Forwards sealed blocks in order, one at a time. The table itself is the queue, so an unavailable
 * collector costs no memory, and a restart continues after the last acknowledged block. Only one of
 * several processes sends.
 */
export const createAuditStream = ({ db, reader, sink, now, report }: Deps) => {
  const me = randomUUID()
  const stopping = new AbortController()
  const detector = createFailureDetector({ deadAfterMs: leaseMs, gapMs: 10 * lookMs })
  let failures = 0
  /** In ms of `performance.now()`. */
  let notBefore = 0

  const stateIn = async (tx: Tx): Promise<StreamState> =>
    (await readState(tx, stateName, StreamState)) ?? {
      block: await reader.lastBlock(tx),
      sent_at: null,
      dropped: 0,
      error: null,
      holder: null,
      lease_until: 0,
    }

  /**
   * A lease far in the future was made before the clock was set back, so whether it is renewed
   * decides.
   */
  const isHeldElsewhere = ({ holder, lease_until }: StreamState): boolean => {
    if (holder === null || holder === me || lease_until <= Date.now()) return false
    return detector.observe([{ id: holder, lease_until }], performance.now()).length === 0
  }

  /** Changes the state while holding the lease. @returns undefined if another process holds it */
  const change = (edit: (state: StreamState) => Partial<StreamState>) =>
    db.transact(async (tx): Promise<StreamState | undefined> => {
      await db.exclusive(tx, "audit stream")
      const state = await stateIn(tx)
      if (isHeldElsewhere(state)) return undefined
      const lease = { holder: me, lease_until: Date.now() + leaseMs }
      const next = { ...state, ...lease, ...edit(state) }
      await writeState(tx, stateName, next)
      return next
    })

  /**
   * Bisects a rejected batch until the offending event is isolated. @returns the number of rejected
   * events
   */
  const deliver = async (events: readonly AuditEvent[]): Promise<number> => {
    try {
      await sink.send(events, stopping.signal)
      return 0
    } catch (error) {
      if (!(error instanceof Unacceptable)) throw error
      if (events.length === 1) {
        report(new Error(`Dropped audit event ${events[0]?.id}: ${error.message}`))
        return 1
      }
      const half = Math.ceil(events.length / 2)
      return (await deliver(events.slice(0, half))) + (await deliver(events.slice(half)))
    }
  }

  /** @returns false if nothing is pending, or another process sends */
  const sendNext = async (): Promise<boolean> => {
    const state = await change(() => ({}))
    if (!state) return false
    const number = state.block + 1
    const block = await reader.block(number)
    if (!block) return false
    // Events pruned before they were sent are counted as dropped.
    const refused = block.pruned ? block.count : await deliver(block.events)
    await change(({ dropped }) => ({
      block: number,
      sent_at: now(),
      dropped: dropped + refused,
      error: null,
    }))
    return true
  }

  const failed = async (error: unknown): Promise<void> => {
    failures++
    notBefore = performance.now() + Math.min(maxPauseMs, 500 * 2 ** failures)
    if (failures === 1) report(error)
    await change(() => ({ error: wordsOf(error) })).catch(() => {})
  }

  const waiting = async (): Promise<boolean> => {
    const state = await readState(db.read, stateName, StreamState)
    return !state || state.block < (await reader.lastBlock())
  }

  const look = async (): Promise<void> => {
    if (performance.now() < notBefore || !(await waiting())) return
    try {
      while (!stopping.signal.aborted && (await sendNext())) failures = 0
    } catch (error) {
      if (!stopping.signal.aborted) await failed(error)
    }
  }

  let looking = Promise.resolve()
  let busy = false
  const begin = (): void => {
    if (busy) return
    busy = true
    // If the database is unreachable, the next run retries.
    looking = look()
      .catch(() => {})
      .finally(() => {
        busy = false
      })
  }
  const timer = setInterval(begin, lookMs).unref()
  // Records the starting block right away, so that every block since the first start is sent.
  begin()

  return {
    status: async (): Promise<AuditStatus["stream"]> => {
      const state = await readState(db.read, stateName, StreamState)
      const last = await reader.lastBlock()
      const { block = last, sent_at = null, dropped = 0, error = null } = state ?? {}
      return { to: sink.name, behind: Math.max(0, last - block), sent_at, dropped, error }
    },

    /** Releases the lease, so that another process or the next start need not wait for it. */
    close: async (): Promise<void> => {
      clearInterval(timer)
      stopping.abort()
      await looking
      await change(() => ({ holder: null, lease_until: 0 })).catch(() => {})
      await sink.close()
    },
  }
}
