import type { Audit } from "../audit/audit.ts"
import type { Config } from "../config/config.ts"
import type { Database, Tx } from "../db/database.ts"
import { maxRows } from "../db/max-rows.ts"
import { fail } from "../errors.ts"
import type { ReserveMemory } from "../http/body-memory.ts"
import type { Actor } from "../http/caller.ts"
import { readMembers, spliceMembers } from "../http/json-members.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import { ReadBudget } from "./read-budget.ts"
import type { InputItemsQuery } from "./schema.ts"
import type { ReadScope } from "./select-newest-items.ts"
import { type AnsweredRequest, serializeResponse, toStorableId } from "./serialize-response.ts"
import { type ChainLink, createResponseStore, takeBatch } from "./store.ts"

/** A user's stored responses; beyond it, the oldest are deleted. */
interface ResponseLimit {
  responses: number
  bytes: number
}

interface Deps {
  config: Pick<Config, "RESPONSE_LIFETIME">
  db: Database
  storage: StorageQuota
  audit: Audit
  now: () => number
  /** Tests reduce it. */
  maxPerUser?: ResponseLimit
}

const defaultMaxPerUser: ResponseLimit = { responses: maxRows.responsesPerUser, bytes: 1e9 }
const maxHistoryResponses = 1000
/** A page of input items: a JSON array, and the ids of its first and last item. */
export interface InputItemPage {
  data: string
  firstId: string | null
  lastId: string | null
  hasMore: boolean
}

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

/** Items, as they are stored, as one JSON array. */
const toJsonArray = (texts: readonly string[]): string => `[${texts.join(",")}]`

/** Responses of the Responses API, which later requests continue or refer to. */
export interface StoredResponses {
  /**
   * Checks that a response to an input of this size can be stored unless its output is too large.
   * @param bytes as in `SerializedInput`
   * @throws {Failure} `body_too_large`, `storage_limit`
   */
  checkInputLimits(userId: string, bytes: number): Promise<void>
  /**
   * Stores a response durably.
   * @throws {Failure} `body_too_large`, `storage_limit`
   */
  save(userId: string, answered: AnsweredRequest): Promise<void>
  /**
   * The input and output items of a response and of all those before it, oldest first, as JSON.
   * @throws {Failure} `previous_response_not_found`, or `bad_request` if there are too many
   */
  readHistory(userId: string, responseId: string, budget?: ReadBudget): Promise<string[]>
  /**
   * Finds items by their ids, as JSON; if an id occurs several times, the newest item.
   * @param itemIds as often as they are referred to
   * @throws {Failure} `bad_request` if there are too many
   */
  readItems(
    userId: string,
    itemIds: readonly string[],
    budget?: ReadBudget,
  ): Promise<Map<string, string>>
  /** A response as JSON. @throws {Failure} `not_found`, or that of `reserve` */
  get(userId: string, id: string, reserve?: ReserveMemory): Promise<Buffer<ArrayBuffer>>
  /**
   * A page of a response's own input, without that of previous responses.
   * @throws {Failure} `not_found`, or `bad_request` if `after` is no item of the response
   */
  listInputItems(
    userId: string,
    id: string,
    query: InputItemsQuery,
    reserve?: ReserveMemory,
  ): Promise<InputItemPage>
  /** @throws {Failure} `not_found` */
  remove(actor: Actor, userId: string, id: string): Promise<void>
  deleteExpired(signal?: AbortSignal): Promise<void>
}

export const createStoredResponses = (deps: Deps): StoredResponses => {
  const { db, storage, audit, config, now, maxPerUser = defaultMaxPerUser } = deps
  const store = createResponseStore(db)

  const expiredAt = (): number => now() - config.RESPONSE_LIFETIME
  const ownerOf = (userId: string): ReadScope => ({ userId, expiredAt: expiredAt() })

  const readItems: StoredResponses["readItems"] = async (
    userId,
    itemIds,
    budget = new ReadBudget(),
  ) => {
    const storable = itemIds.filter((id) => toStorableId(id) !== null)
    if (storable.length === 0) return new Map()
    const occurrences = Map.groupBy(storable, (id) => id)
    const owner = ownerOf(userId)
    const sizes = await store.newestItems(owner, { ids: [...occurrences.keys()], column: "bytes" })
    const timesOf = (id: string): number => occurrences.get(id)?.length ?? 0
    const bytes = sum(sizes.map(({ id, value }) => Number(value) * timesOf(id)))
    budget.reserve({ items: storable.length, bytes }, "input")
    const found = await store.newestItems(owner, { ids: sizes.map(({ id }) => id), column: "item" })
    return new Map(found.map(({ id, value }) => [id, String(value)]))
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
      fail("bad_request", message, { param: "previous_response_id" })
    }
    if (last.previous_id !== null) failPreviousNotFound(last.previous_id, last.id)
    return chain
  }

  const get: StoredResponses["get"] = async (userId, id, reserve = () => {}) => {
    reserve((await store.sizeOf(ownerOf(userId), id)) ?? failNotFound(id))
    const row = await store.byId(ownerOf(userId), id)
    if (!row) return failNotFound(id)
    const output = toJsonArray(await store.outputOf(userId, id))
    const bytes = Buffer.from(row.response)
    return spliceMembers(bytes, readMembers(bytes), new Map([["output", output]]))
  }

  return {
    checkInputLimits: async (userId, bytes) => {
      const release = await storage.reserve({ owner: userId, bytes })
      release(false)
    },

    save: async (userId, answered) => {
      const row = serializeResponse(answered)
      const insert = await store.prepareInsert({ user_id: userId, created_at: now() }, row)
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

    readHistory: async (userId, responseId, budget = new ReadBudget()) => {
      const chain = await readChain(userId, responseId)
      const bytes = sum(chain.map(({ item_bytes }) => item_bytes))
      const items = sum(chain.map((link) => Number(link.items)))
      budget.reserve({ items, bytes }, "previous_response_id")
      const ids = chain.map(({ id }) => id).reverse()
      const texts = await store.itemsOfResponses(userId, ids)
      // Fails if a response was deleted in the meantime.
      await readChain(userId, responseId)
      return texts
    },

    readItems,

    get,

    listInputItems: async (userId, id, { after, limit, order }, reserve = () => {}) => {
      if ((await store.sizeOf(ownerOf(userId), id)) === undefined) failNotFound(id)
      const position =
        after === undefined
          ? undefined
          : await store.inputPosition(userId, { id, itemId: after, order })
      if (after !== undefined && position === undefined)
        fail("bad_request", `No input item with the ID "${after}".`, { param: "after" })
      const page = { limit: limit + 1, order, after: position }
      reserve(await store.inputPageBytes(userId, id, page))
      const rows = await store.inputPage(userId, id, page)
      const shown = rows.slice(0, limit)
      return {
        data: toJsonArray(shown.map(({ item }) => item)),
        firstId: shown[0]?.item_id ?? null,
        lastId: shown.at(-1)?.item_id ?? null,
        hasMore: rows.length > limit,
      }
    },

    remove: (actor, userId, id) =>
      db.essential.transact(async (tx) => {
        if (!(await store.remove(tx, ownerOf(userId), id))) failNotFound(id)
        const target = { type: "response", id }
        await audit.record(tx, { actor, action: "response.deleted", target })
      }),

    deleteExpired: (signal) => store.deleteExpired(expiredAt(), signal),
  }
}
