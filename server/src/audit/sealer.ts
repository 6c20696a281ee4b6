import { setTimeout as sleep } from "node:timers/promises"
import type { Database, Tx } from "../db/database.ts"
import { type BlockRow, beginning, type EventRow, hashBlock, type Signer } from "./chain.ts"
import { headName, writeState } from "./state-store.ts"

/**
 * In the embedded database few enough that sealing a block, about a millisecond, holds nobody up.
 * A server's round trips hold nobody up, and are fewer by the block.
 */
const eventsPerBlock = { sqlite: 32, postgres: 64 }
const looksPerWait = 5
/** Between blocks, so that a second's blocks hold up one request here and there, not all of a burst. */
const pauseMs = 10
/** An event waits no longer for others to be sealed with. */
const defaultSealAfterMs = 5000

export interface SealerOptions {
  sealAfterMs?: number
}

interface Deps extends SealerOptions {
  db: Database
  signer: Signer
  now: () => number
  report: (error: unknown) => void
}

const unsealed = async (tx: Tx, max: number): Promise<EventRow[]> =>
  tx
    .selectFrom("audit_events")
    .selectAll()
    .where("block", "is", null)
    .orderBy("id")
    .limit(max)
    .execute()

const lastBlock = async (tx: Tx): Promise<Pick<BlockRow, "number" | "hash">> =>
  (await tx
    .selectFrom("audit_blocks")
    .select(["number", "hash"])
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst()) ?? { number: 0, hash: beginning }

/**
 * Chains the trail: events that were committed are sealed together, in a block that names the one
 * before. Row by row, every writer would have to wait for the one before; and of several processes
 * one seals at a time.
 */
export const createSealer = ({ db, signer, now, report, ...options }: Deps) => {
  const { sealAfterMs = defaultSealAfterMs } = options
  const max = eventsPerBlock[db.dialect]

  /**
   * Nobody waits for a seal to be on the disk: events whose seal was lost with the machine are
   * sealed again.
   * @returns how many events were sealed
   */
  const sealBlock = (): Promise<number> =>
    db.transactLoosely(async (tx) => {
      await db.exclusive(tx, "audit chain")
      const rows = await unsealed(tx, max)
      const [first] = rows
      if (!first) return 0
      const last = await lastBlock(tx)
      const number = last.number + 1
      const previous = last.hash
      const sealed_at = now()
      const { hash, digests } = hashBlock({ number, previous, sealed_at, rows })
      const times = rows.map(({ at }) => at)
      await tx
        .insertInto("audit_blocks")
        .values({
          number,
          previous,
          hash,
          seal: signer.seal(hash),
          key_id: signer.keyId,
          count: rows.length,
          first_at: Math.min(...times),
          last_at: Math.max(...times),
          sealed_at,
          digests,
          pruned_at: null,
        })
        .execute()
      // By their ids: others that were committed meanwhile are not in this hash.
      const ids = rows.map(({ id }) => id)
      await tx.updateTable("audit_events").set({ block: number }).where("id", "in", ids).execute()
      await writeState(tx, headName, signer.head(number, hash))
      return rows.length
    })

  /** Since when it is seen to wait; its own time is that of a clock that may have been set back. */
  let oldest: { id: string; since: number } | undefined
  const due = async (): Promise<boolean> => {
    const waiting = await db.read
      .selectFrom("audit_events")
      .select("id")
      .where("block", "is", null)
      .orderBy("id")
      .limit(max)
      .execute()
    const [first] = waiting
    if (oldest?.id !== first?.id) oldest = first && { id: first.id, since: performance.now() }
    if (!oldest) return false
    return waiting.length === max || performance.now() - oldest.since >= sealAfterMs
  }

  /** Seals all that is committed. */
  const sealAll = async (): Promise<void> => {
    let sealed = max
    while (sealed === max) sealed = await sealBlock()
  }

  let closed = false
  const look = async (): Promise<void> => {
    while (!closed && (await due())) {
      await sealBlock()
      await sleep(pauseMs)
    }
  }

  let looking = Promise.resolve()
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    looking = look()
      .catch(report)
      .finally(() => {
        busy = false
      })
  }, sealAfterMs / looksPerWait).unref()

  return {
    sealAll,
    close: async (): Promise<void> => {
      clearInterval(timer)
      closed = true
      await looking
      await sealAll().catch(report)
    },
  }
}

export type Sealer = ReturnType<typeof createSealer>
