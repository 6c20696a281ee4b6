import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import type { Audit } from "../audit/audit.ts"
import type { Database, Tx } from "../db/database.ts"
import { maxRows } from "../db/table-limits.ts"
import { fail } from "../errors.ts"
import { countValues, type Fields } from "../formats/json-values.ts"
import type { ReserveMemory } from "../http/body-memory.ts"
import type { Actor } from "../http/caller.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import type { Owner } from "./item-queries.ts"
import { type AnsweredRequest, serializeResponse, toStorableId } from "./new-response.ts"
import { ReadBudget } from "./read-budget.ts"
import type { InputItemsQuery } from "./schema.ts"
import { type ChainLink, createResponseStore, takeBatch } from "./store.ts"

/** A user's stored responses; beyond it, the oldest are deleted. */
interface ResponseLimit {
  responses: number
  bytes: number
}

interface Deps {
  db: Database
  storage: StorageQuota
  audit: Audit
  /** Age, in seconds, at which responses expire. */
  lifetimeSeconds: number
  newId: () => string
  now: () => number
  /** Tests reduce it. */
  maxPerUser?: ResponseLimit
}

const defaultMaxPerUser: ResponseLimit = { responses: maxRows.responsesPerUser, bytes: 1e9 }
const maxHistoryResponses = 1000
/** Each counts, also if several refer to the same item. */
const maxReferences = 1000
/** Other requests run in between. */
const parsedPerTurn = 500_000

/** A stored item, and its size as JSON. */
interface SizedItem {
  item: Fields
  bytes: number
}

/** The input of a request without references to stored items. */
export interface ResolvedInput {
  items: readonly Fields[]
  /** The sizes, as JSON, of the items that were referred to. */
  storedSizes: ReadonlyMap<Fields, number>
}

const failTooLong = (param: string, message: string): never =>
  fail("bad_request", message, { param })

const failNotFound = (id: string): never => fail("not_found", `No response with the ID "${id}".`)

/** @param next the response that continues the missing one, if that is not the request itself */
const failPreviousNotFound = (id: string | null, next?: string): never => {
  const named = id === null ? "The previous response" : `The response "${id}"`
  const subject = next === undefined ? named : `${named}, which precedes "${next}",`
  const message = `${subject} does not exist, was deleted, or has expired.`
  return fail("previous_response_not_found", message, { param: "previous_response_id" })
}

const sum = (amounts: readonly number[]): number =>
  amounts.reduce((total, amount) => total + amount, 0)

const countById = (ids: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/** @param onItem may refuse to parse more */
const parseItems = async (
  texts: readonly string[],
  onItem: (item: Fields, index: number) => void = () => {},
): Promise<Fields[]> => {
  const items: Fields[] = []
  let parsed = 0
  for (const [index, text] of texts.entries()) {
    const item: Fields = JSON.parse(text)
    onItem(item, index)
    items.push(item)
    parsed += text.length
    if (parsed < parsedPerTurn) continue
    await yieldToEventLoop()
    parsed = 0
  }
  return items
}

const isReference = ({ type, id }: Fields): boolean =>
  type === "item_reference" && toStorableId(id) !== null

/** Responses of the Responses API, which later requests continue or refer to. */
export const createStoredResponses = (deps: Deps) => {
  const { db, storage, audit, lifetimeSeconds, newId, now, maxPerUser = defaultMaxPerUser } = deps
  const store = createResponseStore(db)

  const expiredAt = (): number => now() - lifetimeSeconds
  const ownerOf = (userId: string): Owner => ({ userId, expiredAt: expiredAt() })

  const readItems = async (
    userId: string,
    itemIds: readonly string[],
    budget: ReadBudget,
  ): Promise<Map<string, SizedItem>> => {
    const known = itemIds.filter((id) => toStorableId(id) !== null)
    if (known.length > maxReferences)
      failTooLong("input", `A request can refer to at most ${maxReferences} items.`)
    const counts = countById(known)
    const countOf = (id: string): number => counts.get(id) ?? 0
    const ids = [...counts.keys()]
    const owner = ownerOf(userId)
    const rows = await store.newestItems(owner, { ids, column: "bytes" })
    const sizes = new Map(rows.map(({ id, value }) => [id, Number(value)]))
    const bytes = sum([...sizes].map(([id, size]) => size * countOf(id)))
    budget.reserve({ items: known.length, bytes }, "input")
    const found = await store.newestItems(owner, { ids: [...sizes.keys()], column: "item" })
    const idAt = (index: number): string => found[index]?.id ?? ""
    const items = await parseItems(
      found.map(({ value }) => String(value)),
      (item, index) => budget.countValues(countValues(item) * countOf(idAt(index)), "input"),
    )
    const sized = items.map((item, index): [string, SizedItem] => [
      idAt(index),
      { item, bytes: sizes.get(idAt(index)) ?? 0 },
    ])
    // A reference that was stored because its item was not found.
    return new Map(sized.filter(([, { item }]) => !isReference(item)))
  }

  /** Replaces references by the items, so that a request outlives what it refers to. */
  const resolveReferences = async (
    userId: string,
    input: readonly Fields[],
    budget = new ReadBudget(),
  ): Promise<ResolvedInput> => {
    const ids = input.filter(isReference).map(({ id }) => String(id))
    if (ids.length === 0) return { items: input, storedSizes: new Map() }
    const found = await readItems(userId, ids, budget)
    return {
      items: input.map((item) => (isReference(item) && found.get(String(item.id))?.item) || item),
      storedSizes: new Map([...found.values()].map(({ item, bytes }) => [item, bytes])),
    }
  }

  const excessOf = async (tx: Tx, userId: string) => {
    const { responses, bytes } = await store.total(tx, userId)
    return { responses: responses - maxPerUser.responses, bytes: bytes - maxPerUser.bytes }
  }

  /** Deletes a part of what is beyond the limit. @returns whether some may be left */
  const removeOldest = async (tx: Tx, userId: string): Promise<boolean> => {
    let { responses, bytes } = await excessOf(tx, userId)
    const removed = takeBatch(await store.oldest(tx, userId)).filter((row) => {
      if (responses <= 0 && bytes <= 0) return false
      responses -= 1
      bytes -= row.bytes
      return true
    })
    await store.removeAll(tx, removed)
    return responses > 0 || bytes > 0
  }

  /** @throws {Failure} `previous_response_not_found`, `bad_request` */
  const readChain = async (userId: string, responseId: string): Promise<ChainLink[]> => {
    if (toStorableId(responseId) === null) return failPreviousNotFound(null)
    const chain = await store.chain(ownerOf(userId), responseId, maxHistoryResponses + 1)
    const last = chain.at(-1)
    if (!last) return failPreviousNotFound(responseId)
    if (chain.length > maxHistoryResponses) {
      const message = `The conversation has more than ${maxHistoryResponses} responses.`
      failTooLong("previous_response_id", message)
    }
    if (last.previous_id !== null) failPreviousNotFound(last.previous_id, last.id)
    return chain
  }

  /** @throws {Failure} `not_found`, or that of `reserve` */
  const get = async (
    userId: string,
    id: string,
    reserve: ReserveMemory = () => {},
  ): Promise<Fields> => {
    reserve((await store.sizeOf(ownerOf(userId), id)) ?? failNotFound(id))
    const row = await store.byId(ownerOf(userId), id)
    if (!row) return failNotFound(id)
    const response: Fields = JSON.parse(row.response)
    return { ...response, output: await parseItems(await store.outputOf(userId, id)) }
  }

  return {
    /**
     * Checks that a response to an input of this size can be stored unless its output is too large.
     * @param bytes as `measureInput` returns them
     * @throws {Failure} `body_too_large`, `storage_limit`
     */
    checkInputLimits: async (userId: string, bytes: number): Promise<void> => {
      const release = await storage.reserve({ owner: userId, bytes })
      release(false)
    },

    /**
     * Stores a response durably. Input items without an id get one.
     * @throws {Failure} `body_too_large`, `storage_limit`
     */
    save: async (userId: string, answered: AnsweredRequest): Promise<void> => {
      const { input } = answered
      const resolved = "items" in input ? input : (await resolveReferences(userId, input)).items
      const row = serializeResponse({ ...answered, input: resolved }, newId)
      const insert = store.prepareInsert({ user_id: userId, created_at: now() }, row)
      const isBeyondLimit = await storage.writeWithinLimit(
        [{ owner: userId, bytes: row.bytes }],
        () =>
          db.transactLocked([`responses:${userId}`], async (tx) => {
            await insert(tx)
            const { responses, bytes } = await excessOf(tx, userId)
            return responses > 0 || bytes > 0
          }),
      )
      // In transactions of their own: this one must not hold the writer for as long as both take.
      const removeMore = () => db.essential.transact((tx) => removeOldest(tx, userId))
      if (isBeyondLimit) while (await removeMore());
    },

    /**
     * The input and output items of a response and of all those before it, oldest first.
     * @throws {Failure} `previous_response_not_found`, or `bad_request` if there are too many
     */
    readHistory: async (
      userId: string,
      responseId: string,
      budget = new ReadBudget(),
    ): Promise<Fields[]> => {
      const param = "previous_response_id"
      const chain = await readChain(userId, responseId)
      const bytes = sum(chain.map(({ item_bytes }) => item_bytes))
      budget.reserve({ items: sum(chain.map((link) => Number(link.items))), bytes }, param)
      const ids = chain.map(({ id }) => id).reverse()
      const texts = await store.itemsOfResponses(userId, ids)
      const items = await parseItems(texts, (item) => budget.countValues(countValues(item), param))
      // Fails if a response was deleted in the meantime.
      await readChain(userId, responseId)
      return items
    },

    /**
     * Finds items of stored responses by their ids; if an id occurs several times, the newest item.
     * @throws {Failure} `bad_request` if there are too many
     */
    findItems: async (userId: string, itemIds: readonly string[]): Promise<Map<string, Fields>> => {
      const found = await readItems(userId, itemIds, new ReadBudget())
      return new Map([...found].map(([id, { item }]) => [id, item]))
    },

    /** @throws {Failure} as `findItems` */
    resolveReferences,

    get,

    /**
     * A page of a response's own input, without that of previous responses.
     * @throws {Failure} `not_found`, or `bad_request` if `after` is no item of the response
     */
    listInputItems: async (
      userId: string,
      id: string,
      { after, limit, order }: InputItemsQuery,
      reserve: ReserveMemory = () => {},
    ): Promise<{ items: Fields[]; hasMore: boolean }> => {
      if ((await store.sizeOf(ownerOf(userId), id)) === undefined) failNotFound(id)
      const position =
        after === undefined
          ? undefined
          : await store.inputPosition(userId, { id, itemId: after, order })
      if (after !== undefined && position === undefined)
        fail("bad_request", `No input item with the ID "${after}".`, { param: "after" })
      const page = { limit: limit + 1, order, after: position }
      reserve(await store.inputPageBytes(userId, id, page))
      const texts = await store.inputPage(userId, id, page)
      return { items: await parseItems(texts.slice(0, limit)), hasMore: texts.length > limit }
    },

    /** @throws {Failure} `not_found` */
    remove: (actor: Actor, userId: string, id: string): Promise<void> =>
      db.essential.transact(async (tx) => {
        if (!(await store.remove(tx, ownerOf(userId), id))) failNotFound(id)
        const target = { type: "response", id }
        await audit.record(tx, { actor, action: "response.deleted", target })
      }),

    deleteExpired: (): Promise<void> => store.deleteExpired(expiredAt()),
  }
}

export type StoredResponses = ReturnType<typeof createStoredResponses>
