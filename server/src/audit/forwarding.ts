import { randomUUID } from "node:crypto"
import type { Logger } from "pino"
import { z } from "zod"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import { createRetryPause } from "../concurrency/retry-pause.ts"
import type { Database, Tx } from "../db/database.ts"
import { createDeadHolderDetector } from "../db/dead-holders.ts"
import type { AuditReader } from "./reader.ts"
import type { AuditEvent, AuditStatus } from "./schema.ts"
import { type AuditSink, RejectedEventsError } from "./sinks.ts"
import { readAuditState, writeAuditState } from "./state-store.ts"

const pollIntervalMs = 1000
/** Longer than a delivery attempt may take. */
const leaseMs = 60_000
const minPauseMs = 1000
const maxPauseMs = 60_000
const stateName = "stream"
const taskName = "forward audit events"

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
  sink: AuditSink
  now: () => number
  background: BackgroundTasks
  log: Pick<Logger, "error">
}

const errorMessageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 300)

/**
 * Forwards sealed blocks in order, one at a time. The table itself is the queue, so an unavailable
 * collector costs no memory, and a restart continues after the last acknowledged block. Only one of
 * several processes sends.
 */
export const createAuditForwarder = ({ db, reader, sink, now, background, log }: Deps) => {
  const processId = randomUUID()
  const { signal } = background
  const deadHolders = createDeadHolderDetector({ deadAfterMs: leaseMs, gapMs: 10 * pollIntervalMs })
  const retryPause = createRetryPause({ minMs: minPauseMs, maxMs: maxPauseMs })
  /** In ms of `performance.now()`; 0 after a success. */
  let retryAt = 0

  const recordSuccess = (): void => {
    retryPause.reset()
    retryAt = 0
  }

  const readStreamState = async (tx: Tx): Promise<StreamState> =>
    (await readAuditState(tx, stateName, StreamState)) ?? {
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
    if (holder === null || holder === processId || lease_until <= Date.now()) return false
    return deadHolders.observe([{ id: holder, lease_until }], performance.now()).length === 0
  }

  /** Changes the state while holding the lease. @returns undefined if another process holds it */
  const updateState = (edit: (state: StreamState) => Partial<StreamState>) =>
    db.transactLocked(["audit stream"], async (tx): Promise<StreamState | undefined> => {
      const state = await readStreamState(tx)
      if (isHeldElsewhere(state)) return undefined
      const lease = { holder: processId, lease_until: Date.now() + leaseMs }
      const next = { ...state, ...lease, ...edit(state) }
      await writeAuditState(tx, stateName, next)
      return next
    })

  /**
   * Bisects a rejected batch until the offending event is isolated. @returns the number of rejected
   * events
   */
  const deliver = async (events: readonly AuditEvent[]): Promise<number> => {
    try {
      await sink.send(events, signal)
      return 0
    } catch (error) {
      if (!(error instanceof RejectedEventsError)) throw error
      if (events.length === 1) {
        log.error({ event: events[0]?.id, err: error }, "Dropped an audit event")
        return 1
      }
      const half = Math.ceil(events.length / 2)
      return (await deliver(events.slice(0, half))) + (await deliver(events.slice(half)))
    }
  }

  /** @returns false if nothing is pending, or another process sends */
  const sendNext = async (): Promise<boolean> => {
    const state = await updateState(() => ({}))
    if (!state) return false
    const number = state.block + 1
    const block = await reader.block(number)
    if (!block) return false
    // Events pruned before they were sent are counted as dropped.
    const rejectedCount = block.pruned ? block.count : await deliver(block.events)
    await updateState(({ dropped }) => ({
      block: number,
      sent_at: now(),
      dropped: dropped + rejectedCount,
      error: null,
    }))
    return true
  }

  const recordFailure = async (error: unknown): Promise<void> => {
    retryAt = performance.now() + retryPause.next()
    await updateState(() => ({ error: errorMessageOf(error) }))
  }

  const hasPendingBlocks = async (): Promise<boolean> => {
    const state = await readAuditState(db.read, stateName, StreamState)
    return !state || state.block < (await reader.lastBlock())
  }

  const sendPending = async (): Promise<void> => {
    if (performance.now() < retryAt || !(await hasPendingBlocks())) return
    try {
      while (!signal.aborted && (await sendNext())) recordSuccess()
    } catch (error) {
      if (!signal.aborted) await recordFailure(error)
      throw error
    }
  }

  // The first run records the starting block, so that every block since the first start is sent.
  background.every(pollIntervalMs, taskName, sendPending, { firstAfterMs: 0 })

  return {
    status: async (): Promise<AuditStatus["stream"]> => {
      const state = await readAuditState(db.read, stateName, StreamState)
      const last = await reader.lastBlock()
      const { block = last, sent_at = null, dropped = 0, error = null } = state ?? {}
      return { to: sink.name, behind: Math.max(0, last - block), sent_at, dropped, error }
    },

    /** Releases the lease, so that another process or the next start need not wait for it. */
    close: async (): Promise<void> => {
      await background.runInBackground(taskName, () =>
        updateState(() => ({ holder: null, lease_until: 0 })),
      )
      await sink.close()
    },
  }
}
