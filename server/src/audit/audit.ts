import { randomUUIDv7 } from "node:crypto"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { Actor } from "../http/caller.ts"

export interface Change {
  actor: Actor
  /** `<noun>.<past participle>`, such as `user.deactivated`. */
  action: string
  target?: { type: string; id: string } | undefined
  /** Names of the attributes that changed; their values only where the two below have them. */
  changed?: readonly string[]
  /** Names of attributes that were sent and not kept. */
  ignored?: readonly string[]
  /** Old and new of what decides over access: `active`, role, membership, grants. */
  before?: Record<string, unknown>
  after?: Record<string, unknown>
  outcome?: "success" | "failure"
  status?: number
  /** How many like it this one stands for. */
  count?: number
}

const asJson = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(value)

const tailStart = 24

/** The next id of the same millisecond: waiting for one that happens to be greater takes all of it. */
const after = (id: string): string => {
  const tail = Number.parseInt(id.slice(tailStart), 16) + 1
  return id.slice(0, tailStart) + tail.toString(16).padStart(12, "0")
}

/** Ids in the order in which they were asked for, also within one millisecond. */
const createOrderedIds = () => {
  let last = ""
  return (): string => {
    const id = randomUUIDv7()
    last = id > last ? id : after(last)
    return last
  }
}

export const createAudit = ({ now }: { now: () => number }) => {
  const newId = createOrderedIds()

  const insert = async (writer: Reader, { actor, target, ...change }: Change): Promise<void> => {
    await writer
      .insertInto("audit_events")
      .values({
        id: newId(),
        at: now(),
        actor_type: actor.type,
        actor_id: actor.id,
        key_id: actor.key_id,
        address: actor.address,
        action: change.action,
        target_type: target?.type ?? null,
        target_id: target?.id ?? null,
        changed: asJson(change.changed),
        ignored: change.ignored?.length ? asJson(change.ignored) : null,
        before: asJson(change.before),
        after: asJson(change.after),
        outcome: change.outcome ?? "success",
        status: change.status ?? null,
        count: change.count ?? 1,
        request_id: actor.request_id,
      })
      .execute()
  }

  return {
    /** Writes one event inside `tx`: no change without its event, no event without it. */
    record: (tx: Tx, change: Change): Promise<void> => insert(tx, change),

    /** Writes one event of what changed nothing, on the disk when it resolves. */
    recordAlone: (db: Database, change: Change): Promise<void> =>
      db.execute((writer) => insert(writer, change)),
  }
}

export type Audit = ReturnType<typeof createAudit>
