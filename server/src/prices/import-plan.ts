import { isDeepStrictEqual } from "node:util"
import { failInvalid } from "../errors.ts"
import type { PriceEntry } from "./schema.ts"

/** An entry that differs from the one that it replaces or follows. */
interface ChangedEntry {
  before: PriceEntry
  after: PriceEntry
}

/** What an import changes. */
export interface ImportPlan {
  added: PriceEntry[]
  changed: ChangedEntry[]
  unchanged: number
}

/** Identifies an entry: there is only one of these four. */
export const keyOfEntry = ({ model, provider, connection, from }: PriceEntry): string =>
  JSON.stringify([model, provider, connection, from])

/** @throws {Failure} `invalid` if two entries have the same key */
const requireUniqueKeys = (entries: readonly PriceEntry[]): void => {
  const keys = new Set<string>()
  for (const [at, entry] of entries.entries()) {
    const key = keyOfEntry(entry)
    if (keys.has(key)) {
      failInvalid(`prices.${at}`, `"${entry.model}" occurs more than once with the same time.`)
    }
    keys.add(key)
  }
}

/** Compares entries, each with the one of the same model, provider, connection and time. */
export const planImport = (
  existing: readonly PriceEntry[],
  incoming: readonly PriceEntry[],
): ImportPlan => {
  requireUniqueKeys(incoming)
  const existingByKey = new Map(existing.map((entry) => [keyOfEntry(entry), entry]))
  const plan: ImportPlan = { added: [], changed: [], unchanged: 0 }
  for (const entry of incoming) {
    const known = existingByKey.get(keyOfEntry(entry))
    if (!known) plan.added.push(entry)
    else if (isDeepStrictEqual(known, entry)) plan.unchanged++
    else plan.changed.push({ before: known, after: entry })
  }
  return plan
}

/**
 * Compares prices that hold from `from`, each with the entry that holds then: only a price that
 * differs from it gets an entry of its own.
 */
export const planUpdate = (
  existing: readonly PriceEntry[],
  incoming: readonly PriceEntry[],
  from: number,
): ImportPlan => {
  const scopeOf = (entry: PriceEntry): string => keyOfEntry({ ...entry, from: 0 })
  const currentByScope = new Map<string, PriceEntry>()
  for (const entry of existing) {
    const current = currentByScope.get(scopeOf(entry))
    if (entry.from > from || (current && current.from > entry.from)) continue
    currentByScope.set(scopeOf(entry), entry)
  }
  const plan: ImportPlan = { added: [], changed: [], unchanged: 0 }
  for (const entry of incoming) {
    const current = currentByScope.get(scopeOf(entry))
    if (!current) plan.added.push(entry)
    else if (isDeepStrictEqual({ ...current, from }, { ...entry, from })) plan.unchanged++
    else plan.changed.push({ before: current, after: entry })
  }
  return plan
}
