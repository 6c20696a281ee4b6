import { isDeepStrictEqual } from "node:util"
import { failInvalid } from "../errors.ts"
import { ModelFacts, type PriceEntry } from "./schema.ts"

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

interface Update {
  existing: readonly PriceEntry[]
  /** Entries that come with the gateway: an update that repeats one needs no entry. */
  shipped: readonly PriceEntry[]
  incoming: readonly PriceEntry[]
  /** When the incoming entries begin, in epoch seconds. */
  from: number
}

/** Identifies the model, provider and connection of an entry. */
export const scopeOf = (entry: PriceEntry): string => keyOfEntry({ ...entry, from: 0 })

/** Of each model, provider and connection, the entry that holds at a time. */
const currentByScope = (entries: readonly PriceEntry[], at: number): Map<string, PriceEntry> => {
  const current = new Map<string, PriceEntry>()
  for (const entry of entries.toSorted((a, b) => a.from - b.from)) {
    if (entry.from <= at) current.set(scopeOf(entry), entry)
  }
  return current
}

const factNames = Object.keys(ModelFacts.shape)

/** Prices must be the same; of the facts, those that `entry` does not state stay the shipped ones. */
const repeatsShipped = (shipped: PriceEntry, entry: PriceEntry): boolean => {
  const { source, ...stated } = entry
  const inherited = Object.entries(shipped).filter(([name]) => factNames.includes(name))
  const merged = { ...Object.fromEntries(inherited), ...stated, from: 0, source: null }
  return isDeepStrictEqual({ ...shipped, from: 0, source: null }, merged)
}

/**
 * Compares prices that hold from `from`, each with the entry that holds then: only a price that
 * differs from it gets an entry of its own.
 */
export const planUpdate = ({ existing, shipped, incoming, from }: Update): ImportPlan => {
  const ownByScope = currentByScope(existing, from)
  const shippedByScope = currentByScope(shipped, from)
  const plan: ImportPlan = { added: [], changed: [], unchanged: 0 }
  for (const entry of incoming) {
    const own = ownByScope.get(scopeOf(entry))
    const before = own ?? shippedByScope.get(scopeOf(entry))
    const isSame =
      before &&
      (own
        ? isDeepStrictEqual({ ...own, from }, { ...entry, from })
        : repeatsShipped(before, entry))
    if (!before) plan.added.push(entry)
    else if (isSame) plan.unchanged++
    else plan.changed.push({ before, after: entry })
  }
  return plan
}
