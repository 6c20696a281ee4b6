import { sql } from "kysely"
import type { Database, Tx } from "../../db/database.ts"
import { readPage } from "../../db/paged-queries.ts"
import { columnContainsFolding } from "../../db/text-matching.ts"
import type { Page } from "../../http/pagination.ts"
import { type MessageRating, RatingValue } from "../schema.ts"
import type { ModelRatings, RatedAnswer, RatingListQuery } from "./schema.ts"

const maxModels = 200

/** Ratings of answers, in all chats. */
export const createRatingStore = (db: Database) => {
  const ratedAnswers = () =>
    db.backgroundReader
      .selectFrom("message_ratings")
      .innerJoin("chat_messages", "chat_messages.id", "message_ratings.message_id")
      .innerJoin("chats", "chats.id", "chat_messages.chat_id")
      .innerJoin("users", "users.id", "chats.user_id")

  return {
    save: async (
      tx: Tx,
      messageId: string,
      rating: MessageRating & { rated_at: number },
    ): Promise<void> => {
      await tx
        .insertInto("message_ratings")
        .values({ message_id: messageId, ...rating })
        .onConflict((conflict) => conflict.column("message_id").doUpdateSet(rating))
        .execute()
    },

    remove: async (tx: Tx, messageId: string): Promise<void> => {
      await tx.deleteFrom("message_ratings").where("message_id", "=", messageId).execute()
    },

    /** Latest first. */
    list: async (query: RatingListQuery): Promise<Page<RatedAnswer>> => {
      const { query: text, model, value } = query
      let found = ratedAnswers()
      if (text) found = found.where(columnContainsFolding("reason", text))
      if (model) found = found.where("chat_messages.model", "=", model)
      if (value) found = found.where("value", "=", value)
      const sorted = found
        .select(["message_ratings.message_id as id", "value", "reason", "rated_at"])
        .select(["chat_messages.model", "users.id as user_id", "users.name as user_name"])
        .orderBy("rated_at", "desc")
        .orderBy("message_ratings.message_id", "desc")
      const { items, total } = await readPage(sorted, query)
      const rated = items.map((row) => ({
        ...row,
        value: RatingValue.parse(row.value),
        model: row.model ?? "",
      }))
      return { items: rated, total }
    },

    /** By model, those rated most often first; at most `maxModels`. */
    sumByModel: async (): Promise<ModelRatings[]> => {
      const rows = await ratedAnswers()
        .select(sql<string>`coalesce(chat_messages.model, '')`.as("model"))
        .select(sql<number>`sum(case when value = 'up' then 1 else 0 end)`.as("up"))
        .select(sql<number>`sum(case when value = 'down' then 1 else 0 end)`.as("down"))
        .groupBy("model")
        .orderBy(({ fn }) => fn.countAll(), "desc")
        .orderBy("model")
        .limit(maxModels)
        .execute()
      return rows.map(({ model, up, down }) => ({ model, up: Number(up), down: Number(down) }))
    },
  }
}

export type RatingStore = ReturnType<typeof createRatingStore>
