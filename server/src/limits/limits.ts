import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, EssentialWrites, Tx } from "../db/database.ts"
import { fail, failInvalid } from "../errors.ts"
import { type Actor, systemActor } from "../http/caller.ts"
import type { Page } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"
import type { Ledger } from "./ledger/ledger.ts"
import type { LimitRegistry } from "./limit-registry.ts"
import { readLimitStates } from "./limit-states.ts"
import type { Limit, LimitChange, LimitListQuery, LimitTarget, NewLimit } from "./schema.ts"
import { isTableTarget, type LimitStore, type StoredLimit } from "./store.ts"
import type { TargetNameFinder } from "./target-names.ts"

/** All are in memory. */
const maxLimits = 50_000
/** Serializes the creation of limits, which are counted. */
const creationLock = "limits"

interface Deps {
  db: Database
  bus: Bus
  audit: Audit
  store: LimitStore
  registry: LimitRegistry
  ledger: Pick<Ledger, "renew">
  targetNames: TargetNameFinder
  /** Names of all connections by id, from the environment too. */
  connectionNames: () => Promise<ReadonlyMap<string, string>>
  newId: () => string
  nowMs: () => number
}

const failNotFound = (id: string): never => fail("not_found", `No limit with the ID ${id}.`)

const auditTarget = (id: string) => ({ type: "limit", id })

const toAuditValues = ({ createdMs, updatedMs, ...values }: StoredLimit): Record<string, unknown> =>
  values

/** What a limit of requests in flight cannot have. */
const checkConcurrency = ({ window, mode, rolling }: StoredLimit): void => {
  if (window !== "total") failInvalid("window", translatable("limit_concurrency_window"))
  if (mode === "soft") failInvalid("mode", translatable("limit_concurrency_soft"))
  if (rolling) failInvalid("rolling", translatable("limit_total_rolling"))
}

/** Rules for several fields, which a change may contain only one of. */
const checkFields = (limit: StoredLimit): void => {
  const { target, model, metric, window, rolling } = limit
  if (metric === "concurrency") checkConcurrency(limit)
  if (window === "total" && rolling) failInvalid("rolling", translatable("limit_total_rolling"))
  if (target.type === "model" && model !== undefined)
    failInvalid("model", translatable("limit_model_twice"))
}

const isSameTarget = (one: LimitTarget, other: LimitTarget): boolean =>
  one.type === other.type && one.id === other.id

const fixedField = (path: string): never => failInvalid(path, translatable("limit_field_fixed"))

/** The limit after a change, which may repeat what it cannot change. */
const applyChange = (
  limit: StoredLimit,
  { target, model, metric, ...changes }: LimitChange,
): StoredLimit => {
  if (target && !isSameTarget(target, limit.target)) fixedField("target")
  if (model !== undefined && model !== limit.model) fixedField("model")
  if (metric !== undefined && metric !== limit.metric) fixedField("metric")
  const defined = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...limit, ...Object.fromEntries(defined) }
}

const matches = ({ id, target, model, metric }: StoredLimit, query: LimitListQuery): boolean =>
  (query.id === undefined || id === query.id) &&
  (query.target_type === undefined || target.type === query.target_type) &&
  (query.target_id === undefined || target.id === query.target_id) &&
  (query.metric === undefined || metric === query.metric) &&
  (query.model === undefined ||
    model === query.model ||
    (target.type === "model" && target.id === query.model))

/** Limits on what is used of models; `admission/` applies them. */
export const createLimits = (deps: Deps) => {
  const { db, bus, audit, store, registry, ledger, connectionNames, newId, nowMs } = deps

  const change = async <T>(
    work: (tx: Tx) => Promise<T>,
    { locks = [], writes = db }: { locks?: string[]; writes?: EssentialWrites } = {},
  ): Promise<T> => {
    const result = await writes.transactLocked(locks, async (tx) => {
      const done = await work(tx)
      await bus.publish(tx, { topic: "limits" })
      return done
    })
    // The change is stored: if this fails, the bus repeats and reports it.
    await registry.reload().catch(() => {})
    return result
  }

  const withStates = async (limits: readonly StoredLimit[]): Promise<Limit[]> => {
    // Other processes report several times a second.
    await ledger.renew()
    const states = await readLimitStates(db, limits, nowMs())
    const names = await deps.targetNames.read(limits.map(({ target }) => target))
    return limits.flatMap(({ createdMs, updatedMs, ...limit }, index) => {
      const state = states[index]
      const name = names[index]
      if (!state || !name) return []
      const created_at = Math.floor(createdMs / 1000)
      const updated_at = Math.floor(updatedMs / 1000)
      return [{ ...limit, ...name, ...state, created_at, updated_at }]
    })
  }

  const withState = async (limit: StoredLimit): Promise<Limit> => {
    const [found] = await withStates([limit])
    return found ?? failNotFound(limit.id)
  }

  const checkTarget = async (tx: Tx, { type, id = "" }: LimitTarget): Promise<void> => {
    if (isTableTarget(type) && !(await store.hasTarget(tx, type, id)))
      failInvalid("target.id", translatable("limit_target_unknown"))
  }

  const checkConnection = async ({ type, id = "" }: LimitTarget): Promise<void> => {
    if (type === "connection" && !(await connectionNames()).has(id))
      failInvalid("target.id", translatable("limit_target_unknown"))
  }

  return {
    list: async (query: LimitListQuery): Promise<Page<Limit>> => {
      const hasText = query.query ? await deps.targetNames.find(query.query) : () => true
      const found = registry.all().filter((limit) => matches(limit, query) && hasText(limit.target))
      if (query.direction === "desc") found.reverse()
      const start = (query.page - 1) * query.page_size
      const listed = found.slice(start, start + query.page_size)
      return {
        items: await withStates(listed.map(({ tracked: _tracked, ...limit }) => limit)),
        total: found.length,
      }
    },

    create: async (actor: Actor, input: NewLimit): Promise<Limit> => {
      const window = input.window ?? (input.metric === "concurrency" ? "total" : undefined)
      if (window === undefined) return failInvalid("window", translatable("limit_window_missing"))
      const createdMs = nowMs()
      const limit: StoredLimit = { ...input, id: newId(), window, createdMs, updatedMs: createdMs }
      checkFields(limit)
      await checkConnection(limit.target)
      const insert = async (tx: Tx): Promise<void> => {
        await checkTarget(tx, limit.target)
        if ((await store.count(tx)) >= maxLimits) {
          fail("limit_reached", `There can be at most ${maxLimits} limits. Delete some first.`)
        }
        await store.insert(tx, limit)
        const target = auditTarget(limit.id)
        const after = toAuditValues(limit)
        await audit.record(tx, { actor, action: "limit.created", target, after })
      }
      await change(insert, { locks: [creationLock] })
      return withState(limit)
    },

    update: async (actor: Actor, id: string, input: LimitChange): Promise<Limit> => {
      const updated = await change(async (tx) => {
        const before = (await store.lockById(tx, id)) ?? failNotFound(id)
        const after = { ...applyChange(before, input), updatedMs: nowMs() }
        checkFields(after)
        await store.update(tx, after)
        const values = { before: toAuditValues(before), after: toAuditValues(after) }
        await audit.record(tx, {
          ...{ actor, action: "limit.updated", target: auditTarget(id) },
          ...values,
        })
        return after
      })
      return withState(updated)
    },

    remove: (actor: Actor, id: string): Promise<void> =>
      change(
        async (tx) => {
          const before = (await store.lockById(tx, id)) ?? failNotFound(id)
          await store.remove(tx, [id])
          const target = auditTarget(id)
          const values = { before: toAuditValues(before) }
          await audit.record(tx, { actor, action: "limit.deleted", target, ...values })
        },
        { writes: db.essential },
      ),

    /** Deletes limits of groups, users and keys that no longer exist. */
    deleteOrphans: async (): Promise<void> => {
      const ids = await store.findOrphans()
      if (ids.length === 0) return
      const actor = systemActor
      await change(async (tx) => {
        await store.remove(tx, ids)
        for (const id of ids)
          await audit.record(tx, { actor, action: "limit.deleted", target: auditTarget(id) })
      })
    },
  }
}

export type Limits = ReturnType<typeof createLimits>
