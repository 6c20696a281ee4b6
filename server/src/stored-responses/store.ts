import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { type Selectable, sql } from "kysely"
import { readInChunks } from "../db/chunked-queries.ts"
import type { Database, Tx } from "../db/database.ts"
import { joinJsonArray } from "../db/json-subquery.ts"
import type { StoredResponseItemRow, StoredResponseRow } from "../db/response-tables.ts"
import {
  insertedBytesPerBatch,
  itemRows,
  type NewResponseItem,
  type PositionedItem,
  splitIntoBatches,
} from "./item-batches.ts"
import { type ItemSelection, type ReadScope, selectNewestItems } from "./select-newest-items.ts"

export interface NewResponse extends Omit<Selectable<StoredResponseRow>, "user_id" | "created_at"> {
  /** In the order of their positions. */
  items: readonly NewResponseItem[]
}

/** A response's place in its chain. */
export interface ChainLink {
  id: string
  previous_id: string | null
  item_bytes: number
  /** The number of its items. */
  items: number
}

interface ItemPage {
  limit: number
  order: "asc" | "desc"
  /** The position after which the page starts. */
  after: number | undefined
}

/** A response may have 16 MB. */
const responsesPerStatement = 10
const deletionsPerBatch = 20
/** Bytes of a transaction's deletions, since a response may have 10,000 items. */
const deletedBytesPerBatch = 300_000

type ResponseKey = Pick<StoredResponseRow, "user_id" | "id">
type RemovableResponse = ResponseKey & Pick<StoredResponseRow, "bytes">

/** The first responses: as many as can be deleted without long delays to other writers. */
export const takeBatch = <T extends RemovableResponse>(responses: readonly T[]): T[] => {
  let bytes = 0
  const end = responses.findIndex((response) => {
    bytes += response.bytes
    return bytes > deletedBytesPerBatch
  })
  return responses.slice(0, end === -1 ? undefined : Math.max(1, end))
}

/** Deletes responses with their items. */
const removeResponses = async (tx: Tx, keys: readonly ResponseKey[]): Promise<void> => {
  for (const { user_id, id } of keys) {
    await tx
      .deleteFrom("stored_responses")
      .where("user_id", "=", user_id)
      .where("id", "=", id)
      .execute()
  }
}

export const createResponseStore = (db: Database) => {
  const responsesOf = ({ userId, expiredAt }: ReadScope) =>
    db.read
      .selectFrom("stored_responses")
      .where("user_id", "=", userId)
      .where("created_at", ">", expiredAt)

  const itemsOf = (userId: string) =>
    db.read.selectFrom("stored_response_items").where("user_id", "=", userId)

  const pageOf = (userId: string, id: string, { limit, order, after }: ItemPage) =>
    itemsOf(userId)
      .where("response_id", "=", id)
      .where("is_output", "=", 0)
      .$if(after !== undefined, (query) =>
        query.where("position", order === "asc" ? ">" : "<", after ?? 0),
      )
      .orderBy("position", order)
      .limit(limit)

  return {
    byId: (
      owner: ReadScope,
      id: string,
    ): Promise<Pick<StoredResponseRow, "response"> | undefined> =>
      responsesOf(owner).select("response").where("id", "=", id).executeTakeFirst(),

    /** The bytes of a response with its input; undefined if it does not exist, or has expired. */
    sizeOf: async (owner: ReadScope, id: string): Promise<number | undefined> => {
      const row = await responsesOf(owner).select("bytes").where("id", "=", id).executeTakeFirst()
      return row?.bytes
    },

    /**
     * The response and those before it, newest first: as far as they exist, and at most `maxLinks`.
     */
    chain: ({ userId, expiredAt }: ReadScope, id: string, maxLinks: number): Promise<ChainLink[]> =>
      db.read
        .withRecursive("chain(id, previous_id, item_bytes, depth)", (cte) =>
          cte
            .selectFrom("stored_responses")
            .select(["id", "previous_id", "item_bytes", sql<number>`1`.as("depth")])
            .where("user_id", "=", userId)
            .where("id", "=", id)
            .where("created_at", ">", expiredAt)
            .unionAll(
              cte
                .selectFrom("chain")
                // With an inner join, SQLite would read all of the user's responses at each step.
                .crossJoin("stored_responses as previous")
                .select(["previous.id", "previous.previous_id", "previous.item_bytes"])
                .select(sql<number>`depth + 1`.as("depth"))
                .where("previous.user_id", "=", userId)
                .whereRef("previous.id", "=", "chain.previous_id")
                .where("previous.created_at", ">", expiredAt)
                .where("depth", "<", maxLinks),
            ),
        )
        .selectFrom("chain")
        .select(["id", "previous_id", "item_bytes"])
        // The last position, unlike a count, takes one step in the index.
        .select((eb) =>
          eb.fn
            .coalesce(
              eb
                .selectFrom("stored_response_items as item")
                .select(sql<number>`max(position) + 1`.as("items"))
                .where("item.user_id", "=", userId)
                .whereRef("item.response_id", "=", "chain.id"),
              sql<number>`0`,
            )
            .as("items"),
        )
        .orderBy("depth")
        .execute(),

    /** The items of several responses, in their order. */
    itemsOfResponses: async (userId: string, ids: readonly string[]): Promise<string[]> => {
      const read = async (chunk: readonly string[]): Promise<string[]> => {
        const rows = await itemsOf(userId)
          .select(["response_id", "item"])
          .where("response_id", "in", chunk)
          .orderBy("response_id")
          .orderBy("position")
          .execute()
        const rowsByResponse = Map.groupBy(rows, ({ response_id }) => response_id)
        return chunk.flatMap((id) => rowsByResponse.get(id)?.map(({ item }) => item) ?? [])
      }
      return readInChunks(ids, read, responsesPerStatement)
    },

    outputOf: async (userId: string, id: string): Promise<string[]> => {
      const rows = await itemsOf(userId)
        .select("item")
        .where("response_id", "=", id)
        .where("is_output", "=", 1)
        .orderBy("position")
        .execute()
      return rows.map(({ item }) => item)
    },

    /**
     * The position of an input item. If the id occurs several times, it is the last one in `order`,
     * so that each page gets further.
     */
    inputPosition: async (
      userId: string,
      { id, itemId, order }: { id: string; itemId: string; order: "asc" | "desc" },
    ): Promise<number | undefined> => {
      const row = await itemsOf(userId)
        .select("position")
        .where("response_id", "=", id)
        .where("is_output", "=", 0)
        .where("item_id", "=", itemId)
        .orderBy("position", order === "asc" ? "desc" : "asc")
        .limit(1)
        .executeTakeFirst()
      return row?.position
    },

    inputPage: (
      userId: string,
      id: string,
      page: ItemPage,
    ): Promise<Pick<StoredResponseItemRow, "item_id" | "item">[]> =>
      pageOf(userId, id, page).select(["item_id", "item"]).execute(),

    inputPageBytes: async (userId: string, id: string, page: ItemPage): Promise<number> => {
      const rows = await pageOf(userId, id, page).select("bytes").execute()
      return rows.reduce((sum, { bytes }) => sum + bytes, 0)
    },

    newestItems: (owner: ReadScope, selection: ItemSelection) =>
      selectNewestItems(db.read, owner, selection),

    /**
     * Violates a unique constraint if the user has a response with this id. Prepares the rows before
     * the transaction, and inserts them in batches, between which other requests run.
     */
    prepareInsert: async (
      stored: Pick<StoredResponseRow, "user_id" | "created_at">,
      { items, ...response }: NewResponse,
    ): Promise<(tx: Tx) => Promise<void>> => {
      const { user_id, created_at } = stored
      const insertLarge = (tx: Tx, { position, ...item }: PositionedItem) =>
        tx
          .insertInto("stored_response_items")
          .values({ ...item, ...stored, response_id: response.id, position })
          .execute()
      const insertBatch = (tx: Tx, json: string) =>
        sql`insert into stored_response_items (user_id, response_id, created_at,
            position, item_id, is_output, item, bytes)
          select ${user_id}, ${response.id}, cast(${created_at} as bigint), added.*
          from (${itemRows[db.dialect](json)}) as added`.execute(tx)
      const inserts: ((tx: Tx) => Promise<unknown>)[] = []
      for (const batch of splitIntoBatches(items)) {
        const [first] = batch
        if (first && first.bytes > insertedBytesPerBatch) {
          inserts.push((tx) => insertLarge(tx, first))
          continue
        }
        const json = joinJsonArray(batch.map((item) => JSON.stringify(item)))
        inserts.push((tx) => insertBatch(tx, json))
        await yieldToEventLoop()
      }
      return async (tx) => {
        await tx
          .insertInto("stored_responses")
          .values({ ...response, ...stored })
          .execute()
        for (const [at, insert] of inserts.entries()) {
          if (at > 0) await yieldToEventLoop()
          await insert(tx)
        }
      }
    },

    total: async (tx: Tx, userId: string): Promise<{ responses: number; bytes: number }> => {
      const row = await tx
        .selectFrom("stored_responses")
        .select(({ fn }) => [
          fn.countAll<number>().as("responses"),
          sql<number>`cast(coalesce(sum(bytes), 0) as bigint)`.as("bytes"),
        ])
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow()
      return { responses: Number(row.responses), bytes: Number(row.bytes) }
    },

    /** The oldest responses of a user, in the order in which they expire. */
    oldest: (tx: Tx, userId: string): Promise<RemovableResponse[]> =>
      tx
        .selectFrom("stored_responses")
        .select(["user_id", "id", "bytes"])
        .where("user_id", "=", userId)
        .orderBy("created_at")
        .orderBy("id")
        .limit(deletionsPerBatch)
        .execute(),

    removeAll: removeResponses,

    /** @returns false if the response does not exist, or has expired */
    remove: async (tx: Tx, { userId, expiredAt }: ReadScope, id: string): Promise<boolean> => {
      const removed = await tx
        .deleteFrom("stored_responses")
        .where("user_id", "=", userId)
        .where("id", "=", id)
        .where("created_at", ">", expiredAt)
        .returning("id")
        .executeTakeFirst()
      return removed !== undefined
    },

    /** In batches: one transaction for all would block other writers. */
    deleteExpired: async (expiredAt: number, signal?: AbortSignal): Promise<void> => {
      const deleteBatch = async (tx: Tx): Promise<number> => {
        const expired = await tx
          .selectFrom("stored_responses")
          .select(["user_id", "id", "bytes"])
          .where("created_at", "<=", expiredAt)
          .orderBy("created_at")
          .orderBy("user_id")
          .orderBy("id")
          .limit(deletionsPerBatch)
          .execute()
        await removeResponses(tx, takeBatch(expired))
        return expired.length
      }
      while (!signal?.aborted && (await db.essential.transactRelaxed(deleteBatch)) > 0);
    },
  }
}
