import { modelsOf } from "./function-registry.ts"
import type { FunctionSummary } from "./schema.ts"
import type { StoredFunction } from "./store.ts"

/** A function as shown in lists, without its source and the values of its settings. */
export const toSummary = (stored: StoredFunction): FunctionSummary => {
  const { code, values, manifest, ...rest } = stored
  const models = modelsOf(stored).map(({ id, name, description }) => ({ id, name, description }))
  return { ...rest, models, filter: manifest.filter, settings: manifest.settings }
}
