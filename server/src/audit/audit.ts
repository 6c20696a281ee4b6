import { randomUUIDv7 } from "node:crypto"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { Actor } from "../http/caller.ts"

export interface AuditRecord {
  actor: Actor
  /** `<noun>.<past participle>`, such as `user.deactivated`. */
  action: string
  target?: { type: string; id: string } | undefined
  /** Names of the changed attributes. `before` and `after` hold values for some of them only. */
  changed?: readonly string[]
  /** Names of attributes that were sent but are not stored. */
  ignored?: readonly string[]
  /** Old and new values of access-relevant attributes: `active`, role, membership, grants. */
  before?: Record<string, unknown>
  after?: Record<string, unknown>
  outcome?: "success" | "failure"
  status?: number
  /** How many identical events this one represents. */
  count?: number
}

const asJson = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(value)

const counterOffset = 24

/**
 * Increments an id within its millisecond; generating until one happens to be greater could take
 * the whole millisecond.
 */
const incrementId = (id: string): string => {
  const counter = Number.parseInt(id.slice(counterOffset), 16) + 1
  return id.slice(0, counterOffset) + counter.toString(16).padStart(12, "0")
}

/** Generates strictly increasing ids, even within one millisecond. */
const createOrderedIds = () => {
  let last = ""
  return (): string => {
    const id = randomUUIDv7()
    last = id > last ? id : incrementId(last)
    return last
  }
}

/** Writes the audit log. */
export interface Audit {
  /** Writes one event inside `tx`, so that the change and its event commit together. */
  record(tx: Tx, change: AuditRecord): Promise<void>
  /** Writes an event that accompanies no change; durable when it resolves. */
  recordDurably(db: Database, change: AuditRecord): Promise<void>
}

export const createAudit = ({ now }: { now: () => number }): Audit => {
  const newId = createOrderedIds()

  const insert = async (
    writer: Reader,
    { actor, target, ...record }: AuditRecord,
  ): Promise<void> => {
    await writer
      .insertInto("audit_events")
      .values({
        id: newId(),
        at: now(),
        actor_type: actor.type,
        actor_id: actor.id,
        key_id: actor.key_id,
        address: actor.address,
        action: record.action,
        target_type: target?.type ?? null,
        target_id: target?.id ?? null,
        changed: asJson(record.changed),
        ignored: record.ignored?.length ? asJson(record.ignored) : null,
        before: asJson(record.before),
        after: asJson(record.after),
        outcome: record.outcome ?? "success",
        status: record.status ?? null,
        count: record.count ?? 1,
        request_id: actor.request_id,
      })
      .execute()
  }

  return {
    record: (tx, change) => insert(tx, change),
    recordDurably: (db, change) => db.essential.execute((writer) => insert(writer, change)),
  }
}
