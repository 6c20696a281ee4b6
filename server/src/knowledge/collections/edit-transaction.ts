import type { Audit, AuditRecord } from "../../audit/audit.ts"
import type { Bus } from "../../bus/bus.ts"
import type { Database, Tx } from "../../db/database.ts"
import { requireWritable } from "../../grants/access.ts"
import type { Actor, Caller, RefreshCaller } from "../../http/caller.ts"
import { accessMessages } from "../failures.ts"
import type { Collection } from "../schema.ts"
import { type CollectionStore, lockOfCollection } from "./collection-store.ts"

interface Deps {
  db: Database
  bus: Bus
  audit: Audit
  collections: CollectionStore
  refreshCaller: RefreshCaller
}

/** Who edits which collection. */
export interface EditRequest {
  actor: Actor
  caller: Caller
  /** The collection's. */
  id: string
}

/** One edit within its transaction, with the collection and the caller as read by `tx`. */
export interface Edit {
  tx: Tx
  caller: Caller
  before: Collection
}

export type AuditEvent = Omit<AuditRecord, "actor" | "target">

/** What an edit returns, and its audit event, or null if nothing changed. */
export interface EditOutcome<T> {
  value: T
  event: AuditEvent | null
}

/**
 * Edits a collection, or what belongs to it, within a transaction: locks the collection, re-reads
 * it and the caller's permissions, and records and announces the change.
 */
export const createEditInTransaction =
  ({ db, bus, audit, collections, refreshCaller }: Deps) =>
  async <T>(
    tx: Tx,
    { actor, caller, id }: EditRequest,
    work: (edit: Edit) => Promise<EditOutcome<T>>,
  ): Promise<T> => {
    await db.acquireLock(tx, lockOfCollection(id))
    const refreshedCaller = await refreshCaller(tx, caller)
    const before = requireWritable(await collections.byId(id, tx), refreshedCaller, accessMessages)
    const { value, event } = await work({ tx, caller: refreshedCaller, before })
    if (!event) return value
    await audit.record(tx, { ...event, actor, target: { type: "collection", id } })
    await bus.publish(tx, { topic: "collections", user_id: before.user_id, id })
    return value
  }
