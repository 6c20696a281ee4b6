import type { Bus } from "../bus/bus.ts"
import { loadSnapshot } from "../bus/snapshot.ts"
import type { Ledger } from "./ledger/ledger.ts"
import type { TrackedLimit } from "./ledger/tracked-limit.ts"
import { toRule } from "./limit-rules.ts"
import type { LimitTarget } from "./schema.ts"
import type { LimitStore, StoredLimit } from "./store.ts"

/** A limit that is in force in this process. */
export interface ActiveLimit extends StoredLimit {
  tracked: TrackedLimit
}

/** What a request is counted by. */
export interface LimitScope {
  /** Null for a service key, which belongs to no user. */
  userId: string | null
  groupIds: ReadonlySet<string>
  /** Of the API key; null for a session. */
  keyId: string | null
  /** The id that was requested, and those of the models that it is based on. */
  modelIds: readonly string[]
}

interface Deps {
  store: Pick<LimitStore, "list" | "findById">
  bus: Bus
  ledger: Pick<Ledger, "track" | "untrack">
}

/** All limits in memory; each is read again when it changes on any node. */
export interface LimitRegistry {
  isEmpty(): boolean
  /** In the order in which they were created. */
  all(): readonly ActiveLimit[]
  /** Those of a request, except for those of connections. */
  findApplicable(scope: LimitScope): readonly ActiveLimit[]
  hasKeyLimits(keyId: string): boolean
  findOfConnection(connectionId: string, modelIds: readonly string[]): readonly ActiveLimit[]
  /** @param id of the limit that changed; null if any may have */
  reload(id: string | null): Promise<void>
}

type LimitsById = Map<string, readonly ActiveLimit[]>
type LimitsByTarget = Readonly<Record<LimitTarget["type"], LimitsById>>

interface State {
  limits: readonly ActiveLimit[]
  /** Changed in place: copying it takes long. */
  byTarget: LimitsByTarget
}

const none: readonly ActiveLimit[] = []
/** Of the target that has none. */
const everyone = ""

const groupByTarget = (limits: readonly ActiveLimit[]): LimitsByTarget => {
  const byId = (type: LimitTarget["type"]): LimitsById =>
    Map.groupBy(
      limits.filter(({ target }) => target.type === type),
      ({ target }) => target.id ?? everyone,
    )
  return {
    everyone: byId("everyone"),
    group: byId("group"),
    user: byId("user"),
    key: byId("key"),
    model: byId("model"),
    connection: byId("connection"),
  }
}

const isBefore = (one: StoredLimit, other: StoredLimit): boolean =>
  one.createdMs === other.createdMs ? one.id < other.id : one.createdMs < other.createdMs

/** In the order in which they were created. */
const addInOrder = (limits: readonly ActiveLimit[], added: ActiveLimit): readonly ActiveLimit[] =>
  limits.toSpliced(limits.findLastIndex((other) => isBefore(other, added)) + 1, 0, added)

/** Replaces what is known of one limit; its target may be another one than before. */
const replaceOne = (
  { limits, byTarget }: State,
  id: string,
  present: ActiveLimit | undefined,
): State => {
  const position = limits.findIndex((limit) => limit.id === id)
  const before = limits[position]
  const others = before ? limits.toSpliced(position, 1) : limits
  if (before) {
    const { type, id: targetId = everyone } = before.target
    const left = (byTarget[type].get(targetId) ?? none).filter((limit) => limit.id !== id)
    if (left.length > 0) byTarget[type].set(targetId, left)
    else byTarget[type].delete(targetId)
  }
  if (!present) return { limits: others, byTarget }
  const { type, id: targetId = everyone } = present.target
  byTarget[type].set(targetId, addInOrder(byTarget[type].get(targetId) ?? none, present))
  return { limits: addInOrder(others, present), byTarget }
}

const addOf = (
  found: ActiveLimit[],
  limits: readonly ActiveLimit[] | undefined,
  modelIds: readonly string[],
): void => {
  for (const limit of limits ?? none)
    if (limit.model === undefined || modelIds.includes(limit.model)) found.push(limit)
}

/** A manager limits members as long as they are. */
const ofMember = (
  limits: readonly ActiveLimit[] | undefined,
  groupIds: ReadonlySet<string>,
): readonly ActiveLimit[] | undefined =>
  limits?.some(({ group_id }) => group_id !== null)
    ? limits.filter(({ group_id }) => group_id === null || groupIds.has(group_id))
    : limits

export const createLimitRegistry = async ({ store, bus, ledger }: Deps): Promise<LimitRegistry> => {
  const toActive = (limit: StoredLimit): ActiveLimit => ({
    ...limit,
    tracked: ledger.track(toRule(limit)),
  })

  let known: readonly ActiveLimit[] = []

  const loadAll = async (): Promise<State> => {
    const limits = (await store.list()).map(toActive)
    const ids = new Set(limits.map(({ id }) => id))
    for (const { id } of known) if (!ids.has(id)) ledger.untrack(id)
    known = limits
    return { limits, byTarget: groupByTarget(limits) }
  }

  const loadOne = async (state: State, id: string): Promise<State> => {
    const stored = await store.findById(id)
    if (!stored) ledger.untrack(id)
    const changed = replaceOne(state, id, stored && toActive(stored))
    known = changed.limits
    return changed
  }

  const { current, reload } = await loadSnapshot(bus, "limits", loadAll, { loadOne })

  return {
    isEmpty: () => current().limits.length === 0,
    all: () => current().limits,

    findApplicable: ({ userId, groupIds, keyId, modelIds }) => {
      const { limits, byTarget } = current()
      if (limits.length === 0) return none
      const found: ActiveLimit[] = []
      addOf(found, byTarget.everyone.get(everyone), modelIds)
      for (const id of groupIds) addOf(found, byTarget.group.get(id), modelIds)
      if (userId !== null) addOf(found, ofMember(byTarget.user.get(userId), groupIds), modelIds)
      if (keyId !== null) addOf(found, byTarget.key.get(keyId), modelIds)
      for (const id of modelIds) addOf(found, byTarget.model.get(id), modelIds)
      return found
    },

    hasKeyLimits: (keyId) => current().byTarget.key.has(keyId),

    findOfConnection: (id, modelIds) => {
      const { limits, byTarget } = current()
      if (limits.length === 0) return none
      const found: ActiveLimit[] = []
      addOf(found, byTarget.connection.get(id), modelIds)
      return found
    },

    reload,
  }
}
