import { setImmediate as breathe } from "node:timers/promises"
import type { Database } from "../db/database.ts"
import { systemActor } from "../http/caller.ts"
import type { Audit } from "./audit.ts"
import type { AuditSealer } from "./sealer.ts"

export interface AuditRetentionDeps {
  db: Database
  audit: Audit
  sealer: AuditSealer
  /** Retention in seconds; 0 keeps everything. */
  maxAge: () => number
  now: () => number
}

/**
 * Creates a function that deletes expired events, in whole blocks from the oldest. Blocks remain as a hash and a seal, so
 * that the chain can still be verified from its start.
 */
export const createAuditRetention = ({ db, audit, sealer, maxAge, now }: AuditRetentionDeps) => {
  /** Marks expired blocks as pruned and records an event for it. */
  const markExpired = (before: number): Promise<void> =>
    db.essential.transactLocked(["audit chain"], async (tx) => {
      const firstKept = await tx
        .selectFrom("audit_blocks")
        .select("number")
        .where("pruned_at", "is", null)
        .where("last_at", ">=", before)
        .orderBy("number")
        .limit(1)
        .executeTakeFirst()
      let expired = tx
        .updateTable("audit_blocks")
        .set({ pruned_at: now(), digests: "" })
        .where("pruned_at", "is", null)
      if (firstKept) expired = expired.where("number", "<", firstKept.number)
      const marked = await expired.returning(["number", "count", "last_at"]).execute()
      if (marked.length === 0) return
      await audit.record(tx, {
        actor: systemActor,
        action: "audit.pruned",
        after: {
          through_block: Math.max(...marked.map(({ number }) => number)),
          through: Math.max(...marked.map(({ last_at }) => last_at)),
          events: marked.reduce((sum, { count }) => sum + count, 0),
        },
      })
    })

  /** Deletes the events of one pruned block. @returns false if none is left */
  const deletePrunedBlockEvents = (): Promise<boolean> =>
    db.essential.transact(async (tx) => {
      const oldest = await tx
        .selectFrom("audit_events")
        .innerJoin("audit_blocks", "audit_blocks.number", "audit_events.block")
        .select(["audit_blocks.number", "audit_blocks.pruned_at"])
        .where("audit_events.block", "is not", null)
        .orderBy("audit_events.block")
        .limit(1)
        .executeTakeFirst()
      if (!oldest || oldest.pruned_at === null) return false
      await tx.deleteFrom("audit_events").where("block", "=", oldest.number).execute()
      return true
    })

  return async (signal?: AbortSignal): Promise<void> => {
    const age = maxAge()
    if (age === 0) return
    await sealer.sealAll()
    await markExpired(now() - age)
    while (!signal?.aborted && (await deletePrunedBlockEvents())) await breathe()
  }
}
