import { setTimeout as sleep } from "node:timers/promises"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Database, Tx } from "../db/database.ts"
import {
  type AuditBlockRecord,
  type AuditEventRecord,
  type AuditSigner,
  genesisHash,
  hashBlock,
} from "./hash-chain.ts"
import { chainHeadStateName, writeAuditState } from "./state-store.ts"

/**
 * On SQLite, few enough that sealing a block takes about a millisecond and delays nobody. On
 * PostgreSQL, round trips delay nobody, and larger blocks need fewer.
 */
const eventsPerBlock = { sqlite: 32, postgres: 64 }
const checksPerSealInterval = 5
const taskName = "seal audit events"
/**
 * Pause between blocks, so that several blocks in a row delay single requests rather than a burst.
 */
const pauseBetweenBlocksMs = 10
/** The longest that an event waits for others to share its block. */
const defaultSealAfterMs = 5000

export interface AuditSealerOptions {
  sealAfterMs?: number
}

export interface AuditSealerDeps extends AuditSealerOptions {
  db: Database
  signer: AuditSigner
  now: () => number
  background: BackgroundTasks
}

const readUnsealed = async (tx: Tx, max: number): Promise<AuditEventRecord[]> =>
  tx
    .selectFrom("audit_events")
    .selectAll()
    .where("block", "is", null)
    .orderBy("id")
    .limit(max)
    .execute()

const lastBlock = async (tx: Tx): Promise<Pick<AuditBlockRecord, "number" | "hash">> =>
  (await tx
    .selectFrom("audit_blocks")
    .select(["number", "hash"])
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst()) ?? { number: 0, hash: genesisHash }

/**
 * Builds the chain: committed events are sealed together in a block that refers to the previous
 * one. With a chain of rows, every writer would wait for the previous one. Of several processes,
 * one seals at a time.
 */
export const createAuditSealer = ({ db, signer, now, background, ...options }: AuditSealerDeps) => {
  const { sealAfterMs = defaultSealAfterMs } = options
  const max = eventsPerBlock[db.dialect]

  /**
   * Seals need not be durable: events whose seal was lost in a crash are sealed again.
   * @returns the number of sealed events
   */
  const sealBlock = (): Promise<number> =>
    db.essential.transactRelaxed(async (tx) => {
      await db.acquireLock(tx, "audit chain")
      const rows = await readUnsealed(tx, max)
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
      // By id: events committed in the meantime are not in this hash.
      const ids = rows.map(({ id }) => id)
      await tx.updateTable("audit_events").set({ block: number }).where("id", "in", ids).execute()
      await writeAuditState(tx, chainHeadStateName, signer.signHead(number, hash))
      return rows.length
    })

  /**
   * When the oldest unsealed event was first observed; its own time may come from a clock that was
   * set back.
   */
  let oldest: { id: string; since: number } | undefined
  const isBlockDue = async (): Promise<boolean> => {
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

  /** Seals all committed events. */
  const sealAll = async (): Promise<void> => {
    let sealed = max
    while (sealed === max) sealed = await sealBlock()
  }

  const sealDueBlocks = async (): Promise<void> => {
    while (!background.signal.aborted && (await isBlockDue())) {
      await sealBlock()
      await sleep(pauseBetweenBlocksMs)
    }
  }

  background.every(sealAfterMs / checksPerSealInterval, taskName, sealDueBlocks)

  return {
    sealAll,
    close: async (): Promise<void> => {
      await background.runInBackground(taskName, sealAll)
    },
  }
}

export type AuditSealer = ReturnType<typeof createAuditSealer>
