import type { Audit } from "../audit/audit.ts"
import type { Database, Tx } from "../db/database.ts"
import { maxRows } from "../db/table-limits.ts"
import { fail } from "../errors.ts"
import type { Fields } from "../formats/json-values.ts"
import type { Actor } from "../http/caller.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import type { Owner } from "./item-queries.ts"
import {
  type AnsweredRequest,
  measureInput,
  type ResponseInput,
  serializeResponse,
  toStorableId,
} from "./new-response.ts"
import type { InputItemsQuery } from "./schema.ts"
import { type ChainLink, createResponseStore } from "./store.ts"

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
/** Of a history, or of the items that a request refers to, as JSON. */
const maxReadBytes = 16_000_000
const maxReferences = 1000

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

const sumBytes = (rows: readonly number[]): number => rows.reduce((sum, bytes) => sum + bytes, 0)

const parseItems = (texts: readonly string[]): Fields[] => texts.map((text) => JSON.parse(text))

const isReference = ({ type, id }: Fields): boolean =>
  type === "item_reference" && toStorableId(id) !== null

/** Responses of the Responses API, which later requests continue or refer to. */
export const createStoredResponses = (deps: Deps) => {
  const { db, storage, audit, lifetimeSeconds, newId, now, maxPerUser = defaultMaxPerUser } = deps
  const store = createResponseStore(db)

  const expiredAt = (): number => now() - lifetimeSeconds
  const ownerOf = (userId: string): Owner => ({ userId, expiredAt: expiredAt() })

  const findItems = async (
    userId: string,
    itemIds: readonly string[],
  ): Promise<Map<string, Fields>> => {
    const ids = [...new Set(itemIds)].filter((id) => toStorableId(id) !== null)
    if (ids.length > maxReferences)
      failTooLong("input", `A request can refer to at most ${maxReferences} items.`)
    const owner = ownerOf(userId)
    const sizes = await store.newestItems(owner, { ids, column: "bytes" })
    if (sumBytes(sizes.map(({ value }) => Number(value))) > maxReadBytes)
      failTooLong("input", `The items referred to exceed ${maxReadBytes} bytes.`)
    const rows = await store.newestItems(owner, { ids, column: "item" })
    const items = rows.map(({ id, value }): [string, Fields] => [id, JSON.parse(String(value))])
    // A reference that was stored because its item was not found.
    return new Map(items.filter(([, item]) => !isReference(item)))
  }

  /** Replaces references by the items, so that a request outlives what it refers to. */
  const resolveReferences = async (
    userId: string,
    input: readonly Fields[],
  ): Promise<readonly Fields[]> => {
    const ids = input.filter(isReference).map(({ id }) => String(id))
    if (ids.length === 0) return input
    const found = await findItems(userId, ids)
    return input.map((item) => (isReference(item) && found.get(String(item.id))) || item)
  }

  const removeOldest = async (tx: Tx, userId: string): Promise<void> => {
    let { responses, bytes } = await store.total(tx, userId)
    const isBeyondLimit = () => responses > maxPerUser.responses || bytes > maxPerUser.bytes
    while (isBeyondLimit()) {
      const oldest = await store.oldest(tx, userId)
      const removed = oldest.filter((row) => {
        if (!isBeyondLimit()) return false
        responses -= 1
        bytes -= row.bytes
        return true
      })
      await store.removeAll(tx, removed)
    }
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
    if (sumBytes(chain.map(({ item_bytes }) => item_bytes)) > maxReadBytes) {
      const message = `The conversation is too large to continue (maximum ${maxReadBytes} bytes).`
      failTooLong("previous_response_id", message)
    }
    return chain
  }

  /** @throws {Failure} `not_found` */
  const get = async (userId: string, id: string): Promise<Fields> => {
    const row = await store.byId(ownerOf(userId), id)
    if (!row) return failNotFound(id)
    const response: Fields = JSON.parse(row.response)
    return { ...response, output: parseItems(await store.outputOf(userId, id)) }
  }

  return {
    /**
     * Checks that a response to this input can be stored unless its output is too large.
     * @throws {Failure} `body_too_large`, `storage_limit`
     */
    checkInputLimits: async (userId: string, input: ResponseInput): Promise<void> => {
      const release = await storage.reserve({ owner: userId, bytes: measureInput(input) })
      release(false)
    },

    /**
     * Stores a response durably. Input items without an id get one.
     * @throws {Failure} `body_too_large`, `storage_limit`
     */
    save: async (userId: string, answered: AnsweredRequest): Promise<void> => {
      const { input } = answered
      const resolved = "items" in input ? input : await resolveReferences(userId, input)
      const row = serializeResponse({ ...answered, input: resolved }, newId)
      await storage.writeWithinLimit([{ owner: userId, bytes: row.bytes }], () =>
        db.transact(async (tx) => {
          await db.acquireLock(tx, `responses:${userId}`)
          const stored = { user_id: userId, created_at: now() }
          await store.insert(tx, stored, row)
          await removeOldest(tx, userId)
        }),
      )
    },

    /**
     * The input and output items of a response and of all those before it, oldest first.
     * @throws {Failure} `previous_response_not_found`, or `bad_request` if there are too many
     */
    readHistory: async (userId: string, responseId: string): Promise<Fields[]> => {
      const chain = await readChain(userId, responseId)
      const ids = chain.map(({ id }) => id).reverse()
      const items = parseItems(await store.itemsOfResponses(userId, ids))
      // Fails if a response was deleted in the meantime.
      await readChain(userId, responseId)
      return items
    },

    /**
     * Finds items of stored responses by their ids; if an id occurs several times, the newest item.
     * @throws {Failure} `bad_request` if there are too many
     */
    findItems,

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
    ): Promise<{ items: Fields[]; hasMore: boolean }> => {
      if (!(await store.byId(ownerOf(userId), id))) failNotFound(id)
      const position =
        after === undefined
          ? undefined
          : await store.inputPosition(userId, { id, itemId: after, order })
      if (after !== undefined && position === undefined)
        fail("bad_request", `No input item with the ID "${after}".`, { param: "after" })
      const page = { limit: limit + 1, order, after: position }
      const texts = await store.inputPage(userId, id, page)
      return { items: parseItems(texts.slice(0, limit)), hasMore: texts.length > limit }
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
