import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import { maxIdsPerStatement } from "../db/chunked-queries.ts"
import type { Database, EssentialWrites, Tx } from "../db/database.ts"
import { failInvalid } from "../errors.ts"
import { type Actor, type Caller, systemActor } from "../http/caller.ts"
import type { Page } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"
import { checkGroupBound } from "./group-bound.ts"
import type { Ledger } from "./ledger/ledger.ts"
import { failUnknownLimit, type LimitAccess } from "./limit-access.ts"
import { createLimitCounts } from "./limit-counts.ts"
import { applyChange, checkFields, checkNewRaise } from "./limit-fields.ts"
import type { ActiveLimit, LimitRegistry } from "./limit-registry.ts"
import { readLimitStates } from "./limit-states.ts"
import { appliesTo, toOwnLimit } from "./own-limits.ts"
import type {
  Limit,
  LimitChange,
  LimitListQuery,
  LimitTarget,
  NewLimit,
  OwnLimit,
  OwnLimitQuery,
} from "./schema.ts"
import { isTableTarget, type LimitStore, type StoredLimit } from "./store.ts"
import type { TargetNameFinder } from "./target-names.ts"

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
  access: LimitAccess
  newId: () => string
  nowMs: () => number
}

const auditTarget = (id: string) => ({ type: "limit", id })

const toAuditValues = ({ createdMs, updatedMs, ...values }: StoredLimit): Record<string, unknown> =>
  values

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
  const { db, bus, audit, store, registry, ledger, access, connectionNames, newId, nowMs } = deps
  const checkCounts = createLimitCounts(store)

  /** Tells all processes which limits have changed; null if any may have. */
  const publish = (tx: Tx, id: string | null): Promise<void> =>
    bus.publish(tx, { topic: "limits", id })

  /** The change is stored: if this fails, the bus repeats and reports it. */
  const reload = (id: string | null): Promise<void> => registry.reload(id).catch(() => {})

  const change = async <T>(
    id: string,
    work: (tx: Tx) => Promise<T>,
    { locks = [], writes = db }: { locks?: string[]; writes?: EssentialWrites } = {},
  ): Promise<T> => {
    const result = await writes.transactLocked(locks, async (tx) => {
      const done = await work(tx)
      await publish(tx, id)
      return done
    })
    await reload(id)
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
    return found ?? failUnknownLimit(limit.id)
  }

  const checkTarget = async (tx: Tx, { type, id = "" }: LimitTarget): Promise<void> => {
    if (isTableTarget(type) && !(await store.hasTarget(tx, type, id)))
      failInvalid("target.id", translatable("limit_target_unknown"))
  }

  const checkConnection = async ({ type, id = "" }: LimitTarget): Promise<void> => {
    if (type === "connection" && !(await connectionNames()).has(id))
      failInvalid("target.id", translatable("limit_target_unknown"))
  }

  const checkBound = async (tx: Tx, limit: StoredLimit): Promise<void> => {
    if (limit.group_id === null) return
    const ofGroup = await store.listOfTarget(tx, { type: "group", id: limit.group_id })
    checkGroupBound(limit, ofGroup, nowMs())
  }

  const readPage = async (
    found: readonly ActiveLimit[],
    { page, page_size }: OwnLimitQuery,
  ): Promise<Limit[]> => {
    const start = (page - 1) * page_size
    const listed = found.slice(start, start + page_size)
    return withStates(listed.map(({ tracked: _tracked, ...limit }) => limit))
  }

  const toDraft = (input: NewLimit): Omit<StoredLimit, "set_by" | "group_id"> => {
    const { group_id, ...fields } = input
    const window = input.window ?? (input.metric === "concurrency" ? "total" : undefined)
    if (window === undefined) return failInvalid("window", translatable("limit_window_missing"))
    const createdMs = nowMs()
    return { ...fields, id: newId(), window, createdMs, updatedMs: createdMs }
  }

  const removeOrphans = async (tx: Tx, ids: readonly string[]): Promise<void> => {
    await store.remove(tx, ids)
    const actor = systemActor
    for (const id of ids)
      await audit.record(tx, { actor, action: "limit.deleted", target: auditTarget(id) })
  }

  return {
    /** Those that the caller sees with their amounts. */
    list: async (caller: Caller, query: LimitListQuery): Promise<Page<Limit>> => {
      const isReadable = await access.findReadable(caller)
      const hasText = query.query ? await deps.targetNames.find(query.query) : () => true
      const found = registry
        .all()
        .filter((limit) => matches(limit, query) && isReadable(limit) && hasText(limit.target))
      if (query.direction === "desc") found.reverse()
      return { items: await readPage(found, query), total: found.length }
    },

    /** Those that apply to the caller's requests, except for those of models and connections. */
    listOwn: async (caller: Caller, query: OwnLimitQuery): Promise<Page<OwnLimit>> => {
      const isReadable = await access.findReadable(caller)
      const found = registry.all().filter((limit) => appliesTo(caller, limit))
      const readableIds = new Set(found.filter(isReadable).map(({ id }) => id))
      const items = (await readPage(found, query)).map((limit) =>
        toOwnLimit(limit, { isReadable: readableIds.has(limit.id), at: nowMs() }),
      )
      return { items, total: found.length }
    },

    create: async (actor: Actor, caller: Caller, input: NewLimit): Promise<Limit> => {
      const draft = toDraft(input)
      // Nobody else sets limits of connections, or learns which there are.
      if (caller.user.role === "admin") await checkConnection(draft.target)
      const insert = async (tx: Tx): Promise<StoredLimit> => {
        const limit = { ...draft, ...(await access.requireAuthority(tx, caller, input)) }
        checkFields(limit)
        checkNewRaise(limit, { at: nowMs() })
        await checkTarget(tx, limit.target)
        await checkBound(tx, limit)
        await checkCounts(tx, caller.user.id, limit)
        await store.insert(tx, limit)
        const target = auditTarget(limit.id)
        const after = toAuditValues(limit)
        await audit.record(tx, { actor, action: "limit.created", target, after })
        return limit
      }
      return withState(await change(draft.id, insert, { locks: [creationLock] }))
    },

    update: async (
      actor: Actor,
      caller: Caller,
      { id, input }: { id: string; input: LimitChange },
    ): Promise<Limit> => {
      const updated = await change(id, async (tx) => {
        const before = (await store.lockById(tx, id)) ?? failUnknownLimit(id)
        await access.requireChangeable(tx, caller, before)
        const after = { ...applyChange(before, input), updatedMs: nowMs() }
        checkFields(after)
        checkNewRaise(after, { before, at: nowMs() })
        await checkBound(tx, after)
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

    remove: (actor: Actor, caller: Caller, id: string): Promise<void> =>
      change(
        id,
        async (tx) => {
          const before = (await store.lockById(tx, id)) ?? failUnknownLimit(id)
          await access.requireRemovable(tx, caller, before)
          await store.remove(tx, [id])
          const target = auditTarget(id)
          const values = { before: toAuditValues(before) }
          await audit.record(tx, { actor, action: "limit.deleted", target, ...values })
        },
        { writes: db.essential },
      ),

    /** Whether a key has limits of its own. */
    isLimitedKey: (keyId: string): boolean => registry.hasKeyLimits(keyId),

    /**
     * For a key that replaces another one.
     * @returns await it after `tx`: applies this to the requests of this process
     */
    moveKeyLimits: async (tx: Tx, keys: { from: string; to: string }) => {
      const ids = await store.moveKeyLimits(tx, keys)
      for (const id of ids) await publish(tx, id)
      return async (): Promise<void> => {
        for (const id of ids) await reload(id)
      }
    },

    /** Deletes limits of groups, users, keys and connections that no longer exist. */
    deleteOrphans: async (): Promise<void> => {
      const ids = await store.findOrphans()
      if (ids.length === 0) return
      for (let at = 0; at < ids.length; at += maxIdsPerStatement) {
        const chunk = ids.slice(at, at + maxIdsPerStatement)
        await db.transact((tx) => removeOrphans(tx, chunk))
      }
      // No request asks for them: one notice at the end suffices.
      await db.transact((tx) => publish(tx, null))
      await reload(null)
    },
  }
}

export type Limits = ReturnType<typeof createLimits>
