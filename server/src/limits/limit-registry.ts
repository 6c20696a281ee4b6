import type { Bus } from "../bus/bus.ts"
import { createMutex } from "../concurrency/mutex.ts"
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
  groupIds: Iterable<string>
  /** Of the API key; null for a session. */
  keyId: string | null
  /** The id that was requested, and those of the models that it is based on. */
  modelIds: readonly string[]
}

interface Deps {
  store: Pick<LimitStore, "list">
  bus: Bus
  ledger: Pick<Ledger, "track" | "untrack">
}

const keyOf = ({ type, id = "" }: LimitTarget): string => `${type} ${id}`

/** All limits in memory, reloaded when one changes on any node. */
export interface LimitRegistry {
  isEmpty(): boolean
  /** In the order in which they were created. */
  all(): readonly ActiveLimit[]
  /** Those of a request, except for those of connections. */
  findApplicable(scope: LimitScope): readonly ActiveLimit[]
  findOfConnection(connectionId: string, modelIds: readonly string[]): readonly ActiveLimit[]
  reload(): Promise<void>
}

const none: readonly ActiveLimit[] = []

export const createLimitRegistry = async ({ store, bus, ledger }: Deps): Promise<LimitRegistry> => {
  let limits: readonly ActiveLimit[] = none
  let limitsByTarget = new Map<string, readonly ActiveLimit[]>()

  const load = async (): Promise<void> => {
    const stored = await store.list()
    const before = limits
    limits = stored.map((limit) => ({ ...limit, tracked: ledger.track(toRule(limit)) }))
    limitsByTarget = Map.groupBy(limits, ({ target }) => keyOf(target))
    const ids = new Set(stored.map(({ id }) => id))
    for (const { id } of before) if (!ids.has(id)) ledger.untrack(id)
  }

  await load()
  const runExclusive = createMutex()
  const reload = (): Promise<void> => runExclusive(load)
  bus.subscribe("reload limits", ({ topic }) => {
    // If this fails, the current limits stay in use until the bus tries again.
    return topic === "limits" || topic === "reset" ? reload() : undefined
  })

  const addOf = (found: ActiveLimit[], target: LimitTarget, modelIds: readonly string[]): void => {
    for (const limit of limitsByTarget.get(keyOf(target)) ?? none)
      if (limit.model === undefined || modelIds.includes(limit.model)) found.push(limit)
  }

  return {
    isEmpty: () => limits.length === 0,
    all: () => limits,

    findApplicable: ({ userId, groupIds, keyId, modelIds }) => {
      if (limits.length === 0) return none
      const found: ActiveLimit[] = []
      addOf(found, { type: "everyone" }, modelIds)
      for (const id of groupIds) addOf(found, { type: "group", id }, modelIds)
      if (userId !== null) addOf(found, { type: "user", id: userId }, modelIds)
      if (keyId !== null) addOf(found, { type: "key", id: keyId }, modelIds)
      for (const id of modelIds) addOf(found, { type: "model", id }, modelIds)
      return found
    },

    findOfConnection: (id, modelIds) => {
      if (limits.length === 0) return none
      const found: ActiveLimit[] = []
      addOf(found, { type: "connection", id }, modelIds)
      return found
    },

    reload,
  }
}
