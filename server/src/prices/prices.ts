import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, EssentialWrites, Tx } from "../db/database.ts"
import { fail, failInvalid } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import type { Page } from "../http/pagination.ts"
import { type ImportPlan, keyOfEntry } from "./import-plan.ts"
import { findCurrent, type PrefixedConnection, queryOn } from "./price-lookup.ts"
import type { PriceRegistry } from "./price-registry.ts"
import type {
  PriceDeletionQuery,
  PriceListQuery,
  PriceQueryParams,
  PriceScope,
} from "./request-schema.ts"
import type { PriceChange, PriceEntry, PriceView } from "./schema.ts"
import type { PriceStore } from "./store.ts"

/** All are in memory. */
const maxCustomEntries = 50_000

/** Those that the record of an import names. */
const maxAuditedModels = 100

interface Deps {
  db: Database
  bus: Bus
  audit: Audit
  store: PriceStore
  registry: PriceRegistry
  /** The entries that come with the gateway. */
  shipped: readonly PriceEntry[]
  /** Of one that is in use. */
  findConnection: (id: string) => PrefixedConnection | undefined
  /** Names of all connections by id, from the environment too. */
  connectionNames: () => Promise<ReadonlyMap<string, string>>
  now: () => number
}

const isGeneral = ({ provider, connection }: PriceEntry): boolean =>
  provider === undefined && connection === undefined

const isInScope = (entry: PriceEntry, { general, provider, connection }: PriceScope): boolean =>
  (!general || isGeneral(entry)) &&
  (provider === undefined || entry.provider === provider) &&
  (connection === undefined || entry.connection === connection)

/** General entries first, then those of providers, then those of connections; the latest first. */
const compareForModel = (a: PriceEntry, b: PriceEntry): number =>
  compareText(a.connection, b.connection) || compareText(a.provider, b.provider) || b.from - a.from

const compareText = (a = "", b = ""): number => {
  if (a === b) return 0
  return a < b ? -1 : 1
}

const compareForList = (a: PriceView, b: PriceView): number =>
  compareText(a.model, b.model) || compareText(a.origin, b.origin) || compareForModel(a, b)

/** Serializes changes: an import is planned by what is stored. */
const lock = "prices"

const auditTarget = (id: string) => ({ type: "price", id })

/** Prices and facts of models: those that come with the gateway, and the administrators' own. */
export const createPrices = (deps: Deps) => {
  const { db, bus, audit, store, registry, shipped, findConnection, connectionNames, now } = deps

  const change = async <T>(
    work: (tx: Tx) => Promise<T>,
    writes: EssentialWrites = db,
  ): Promise<T> => {
    const result = await writes.transactLocked([lock], async (tx) => {
      const done = await work(tx)
      await bus.publish(tx, { topic: "prices" })
      return done
    })
    // The change is stored: if this fails, the bus repeats and reports it.
    await registry.reload().catch(() => {})
    return result
  }

  let sorted: { custom: readonly PriceEntry[]; views: readonly PriceView[] } | undefined

  /** Sorted once after each change. */
  const sortedViews = (): readonly PriceView[] => {
    const custom = registry.custom()
    if (sorted?.custom !== custom) {
      const views = [...custom, ...shipped].map(registry.toView)
      sorted = { custom, views: views.sort(compareForList) }
    }
    return sorted.views
  }

  /** In the order of their models. */
  const listAll = (origin: PriceListQuery["origin"]): readonly PriceView[] =>
    origin === "all" ? sortedViews() : sortedViews().filter((entry) => entry.origin === origin)

  const checkCount = async (tx: Tx, added: number): Promise<void> => {
    if (added === 0 || (await store.count(tx)) + added <= maxCustomEntries) return
    const message = `There can be at most ${maxCustomEntries} prices. Delete some to make room.`
    fail("limit_reached", message)
  }

  const findOnConnection = (model: string, id: string, at: number): PriceView | undefined => {
    const connection = findConnection(id)
    const entry = connection && registry.findPrice(queryOn(connection, { model, at }))
    if (entry) return registry.toView(entry)
    const own = sortedViews().find(
      (view) => view.model === model && view.connection === id && view.from <= at,
    )
    return own ?? (connection && findCurrent(sortedViews(), { model, at, general: true }))
  }

  const failPriceNotFound = (model: string): never => {
    const isShipped = shipped.some((entry) => entry.model === model)
    const hint = isShipped ? " The shipped one can be replaced, but not deleted." : ""
    return fail("not_found", `No such price of the model "${model}".${hint}`)
  }

  return {
    list: ({
      page,
      page_size,
      query,
      model,
      origin,
      ...scope
    }: PriceListQuery): Page<PriceView> => {
      const part = query?.toLowerCase() ?? ""
      const found = listAll(origin)
        .filter((entry) => model === undefined || entry.model === model)
        .filter((entry) => entry.model.toLowerCase().includes(part) && isInScope(entry, scope))
      const start = (page - 1) * page_size
      return { items: found.slice(start, start + page_size), total: found.length }
    },

    /**
     * What sets the price at a time, or else states facts: on a connection what its requests pay,
     * otherwise what everyone or the provider's connections pay. @throws {Failure} `not_found`
     */
    get: (model: string, { at = now(), connection, ...scope }: PriceQueryParams): PriceView => {
      const found =
        connection === undefined
          ? findCurrent(sortedViews(), { model, at, ...scope })
          : findOnConnection(model, connection, at)
      return found ?? fail("not_found", `The model "${model}" has no price.`)
    },

    /** Adds an entry, or replaces that of the same provider, connection and time. */
    put: async (
      actor: Actor,
      model: string,
      { origin: _origin, ...input }: PriceChange,
    ): Promise<PriceView> => {
      if (input.model !== undefined && input.model !== model) {
        failInvalid("model", `Omit it, or repeat "${model}" of the path.`)
      }
      const { connection } = input
      if (connection !== undefined && !(await connectionNames()).has(connection)) {
        failInvalid("connection", `There is no connection "${connection}".`)
      }
      const entry: PriceEntry = { ...input, model, from: input.from ?? now() }
      const key = keyOfEntry(entry)
      await change(async (tx) => {
        const before = (await store.listOf(model, tx)).find((one) => keyOfEntry(one) === key)
        await checkCount(tx, before ? 0 : 1)
        await store.save(tx, [entry], now())
        const action = before ? "price.updated" : "price.created"
        const values = { ...(before && { before }), after: entry }
        await audit.record(tx, { actor, action, target: auditTarget(model), ...values })
      })
      return registry.toView(entry)
    },

    /** Deletes the administrators' entries of a model. @throws {Failure} `not_found` */
    remove: (actor: Actor, model: string, { from, ...scope }: PriceDeletionQuery): Promise<void> =>
      change(async (tx) => {
        const entries = (await store.listOf(model, tx)).filter(
          (entry) => (from === undefined || entry.from === from) && isInScope(entry, scope),
        )
        if (entries.length === 0) failPriceNotFound(model)
        await store.remove(tx, entries)
        const target = auditTarget(model)
        const before = { prices: entries }
        await audit.record(tx, { actor, action: "price.deleted", target, before })
      }, db.essential),

    /** Carries out the plan that `plan` makes of what is stored, all of it or nothing. */
    importAll: (
      actor: Actor,
      plan: (existing: readonly PriceEntry[]) => ImportPlan,
    ): Promise<ImportPlan> =>
      change(async (tx) => {
        const existing = await store.list(tx)
        const planned = plan(existing)
        const { added, changed, unchanged } = planned
        const known = new Set(existing.map(keyOfEntry))
        const entries = [...added, ...changed.map(({ after }) => after)]
        await checkCount(tx, entries.filter((entry) => !known.has(keyOfEntry(entry))).length)
        await store.save(tx, entries, now())
        const models = [...new Set(entries.map(({ model }) => model))].slice(0, maxAuditedModels)
        const after = { added: added.length, changed: changed.length, unchanged, models }
        await audit.record(tx, { actor, action: "price.imported", after })
        return planned
      }),

    listAll,
    listCustom: registry.custom,
    listShipped: () => shipped,
  }
}

export type Prices = ReturnType<typeof createPrices>
