import type { Bus } from "../bus/bus.ts"
import { type Principal, permits } from "../grants/grants.ts"
import type { FunctionStore, StoredFunction } from "./store.ts"

/** A model that a function offers. */
export interface FunctionModel {
  id: string
  name: string
  description: string
  /** What the module calls it; null where it has one only. */
  own: string | null
  of: StoredFunction
}

interface Snapshot {
  functionById: ReadonlyMap<string, StoredFunction>
  modelById: ReadonlyMap<string, FunctionModel>
  filters: readonly StoredFunction[]
}

export const modelsOf = (of: StoredFunction): FunctionModel[] =>
  of.manifest.models.map(({ id, name, description }) => ({
    id: id === "" ? of.id : `${of.id}.${id}`,
    name: id === "" ? of.name : name,
    description: id === "" ? of.meta.description || of.manifest.description : description,
    own: id === "" ? null : id,
    of,
  }))

/** Whether somebody may use it; its maker is an administrator, or was one. */
export const mayUse = ({ access_grants }: StoredFunction, principal: Principal): boolean =>
  permits(access_grants, principal, "read")

const empty: readonly StoredFunction[] = []

/** All functions that are in force, in memory; loaded anew when one changes anywhere. */
export const createDirectory = async ({ store, bus }: { store: FunctionStore; bus: Bus }) => {
  const load = async (): Promise<Snapshot> => {
    const all = await store.list()
    const active = all.filter(({ is_active }) => is_active)
    return {
      functionById: new Map(all.map((one) => [one.id, one])),
      modelById: new Map(active.flatMap(modelsOf).map((model) => [model.id, model])),
      filters: active
        .filter(({ manifest, filter_models }) => manifest.filter && filter_models.length > 0)
        .sort((a, b) => a.filter_order - b.filter_order || (a.id < b.id ? -1 : 1)),
    }
  }

  const listeners = new Set<() => void>()
  let snapshot = await load()
  let loading: Promise<void> = Promise.resolve()

  const reload = (): Promise<void> => {
    loading = loading
      .catch(() => {})
      .then(async () => {
        snapshot = await load()
        for (const listener of listeners) listener()
      })
    return loading
  }

  const unsubscribe = bus.subscribe(({ topic }) => {
    // Out of reach: the functions known stay in force until the bus says `reset`.
    if (topic === "functions" || topic === "reset") void reload().catch(() => {})
  })

  return {
    get: (id: string): StoredFunction | undefined => snapshot.functionById.get(id),
    model: (id: string): FunctionModel | undefined => snapshot.modelById.get(id),
    models: (): Iterable<FunctionModel> => snapshot.modelById.values(),

    /** The filters before any of these models, in their order; those that share a name once. */
    filtersOf: (ids: readonly string[]): readonly StoredFunction[] => {
      if (snapshot.filters.length === 0) return empty
      return snapshot.filters.filter(({ filter_models }) =>
        filter_models.some((named) => named === "*" || ids.includes(named)),
      )
    },
    reload,
    /** Calls back when functions, or grants on them, have changed. */
    onChange: (listener: () => void): void => void listeners.add(listener),
    close: unsubscribe,
  }
}

export type Directory = Awaited<ReturnType<typeof createDirectory>>
