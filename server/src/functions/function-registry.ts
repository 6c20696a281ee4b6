import type { Bus } from "../bus/bus.ts"
import { loadSnapshot } from "../bus/snapshot.ts"
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
  const { current, reload, onChange } = await loadSnapshot(bus, "functions", async () => {
    const all = await store.list()
    const active = all.filter(({ is_active }) => is_active)
    return {
      functionById: new Map(all.map((one) => [one.id, one])),
      modelById: new Map(active.flatMap(modelsOf).map((model) => [model.id, model])),
      filters: active
        .filter(({ manifest, filter_models }) => manifest.filter && filter_models.length > 0)
        .sort((a, b) => a.filter_order - b.filter_order || (a.id < b.id ? -1 : 1)),
    }
  })

  return {
    get: (id) => current().functionById.get(id),
    model: (id) => current().modelById.get(id),
    models: () => current().modelById.values(),
    filtersOf: (ids) => {
      if (current().filters.length === 0) return empty
      return current().filters.filter(({ filter_models }) =>
        filter_models.some((modelId) => modelId === "*" || ids.includes(modelId)),
      )
    },
    reload,
    onChange,
  }
}
