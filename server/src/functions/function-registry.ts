import type { Bus } from "../bus/bus.ts"
import { createMutex } from "../concurrency/mutex.ts"
import type { FunctionStore, StoredFunction } from "./store.ts"

/** A model that a function offers. */
export interface FunctionModel {
  id: string
  name: string
  description: string
  /** The id that the module gives this model; null if the module exports a single model. */
  localId: string | null
  fn: StoredFunction
}

interface Snapshot {
  functionById: ReadonlyMap<string, StoredFunction>
  modelById: ReadonlyMap<string, FunctionModel>
  filters: readonly StoredFunction[]
}

export const modelsOf = (fn: StoredFunction): FunctionModel[] =>
  fn.manifest.models.map(({ id, name, description }) => ({
    id: id === "" ? fn.id : `${fn.id}.${id}`,
    name: id === "" ? fn.name : name,
    description: id === "" ? fn.meta.description || fn.manifest.description : description,
    localId: id === "" ? null : id,
    fn,
  }))

const empty: readonly StoredFunction[] = []

/** All functions in memory, reloaded when one changes on any node. */
export interface FunctionRegistry {
  get(id: string): StoredFunction | undefined
  model(id: string): FunctionModel | undefined
  models(): Iterable<FunctionModel>
  /** Filters of any of these model ids, ordered; each filter is returned once. */
  filtersOf(ids: readonly string[]): readonly StoredFunction[]
  reload(): Promise<void>
  /** Registers a callback for changes to functions or their grants. */
  onChange(listener: () => void): void
}

export const createFunctionRegistry = async (
  store: Pick<FunctionStore, "list">,
  bus: Bus,
): Promise<FunctionRegistry> => {
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
  const runExclusive = createMutex()

  const reload = (): Promise<void> =>
    runExclusive(async () => {
      snapshot = await load()
      for (const listener of listeners) listener()
    })

  bus.subscribe("reload functions", ({ topic }) => {
    // If this fails, the current functions stay active until the bus tries again.
    return topic === "functions" || topic === "reset" ? reload() : undefined
  })

  return {
    get: (id) => snapshot.functionById.get(id),
    model: (id) => snapshot.modelById.get(id),
    models: () => snapshot.modelById.values(),
    filtersOf: (ids) => {
      if (snapshot.filters.length === 0) return empty
      return snapshot.filters.filter(({ filter_models }) =>
        filter_models.some((modelId) => modelId === "*" || ids.includes(modelId)),
      )
    },
    reload,
    onChange: (listener) => void listeners.add(listener),
  }
}
