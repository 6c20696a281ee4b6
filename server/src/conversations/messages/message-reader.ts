import { type Selectable, sql } from "kysely"
import { orderByIds, readInChunks } from "../../db/chunked-queries.ts"
import type { ChatMessageRow, MessageRatingRow } from "../../db/conversation-tables.ts"
import type { Database, Reader } from "../../db/database.ts"
import { markCitedSources } from "../answers/mark-cited-sources.ts"
import type { ChatPassage } from "../answers/source-schema.ts"
import { Message, MessageError, MessageState, RatingValue } from "../schema.ts"
import { textBytes } from "./message-bytes.ts"

export interface StoredImage {
  id: string
  media_type: string
  base64: string
}

/** A message's position in the tree of its chat. */
export interface MessageLink extends Pick<ChatMessageRow, "id" | "parent_id" | "position"> {
  /** The size of the message's texts. */
  bytes: number
}

/** Positions within a chat, inclusive. */
export interface PositionRange {
  from: number
  to: number
}

const Role = Message.shape.role

const parseList = (json: string | null) => (json === null ? [] : JSON.parse(json))

const toMessage = (
  row: Selectable<ChatMessageRow>,
  images: Message["images"] = [],
  rating?: Pick<MessageRatingRow, "value" | "reason">,
): Message => {
  const { position, lease_until, changed_ms, bytes, stopped_request_id, ...message } = row
  const sources: Message["sources"] = row.sources === null ? null : JSON.parse(row.sources)
  const state = MessageState.parse(row.state)
  return {
    ...message,
    role: Role.parse(row.role),
    state,
    error: row.error === null ? null : MessageError.parse(JSON.parse(row.error)),
    estimated: row.estimated === 1,
    edited: row.edited === 1,
    images: images.map(({ id, media_type }) => ({ id, media_type })),
    rating: rating ? { value: RatingValue.parse(rating.value), reason: rating.reason } : null,
    files: parseList(row.files),
    sources: markCitedSources({ sources, state, content: row.content }),
    sources_skipped: parseList(row.sources_skipped),
  }
}

const toPassages = (row: { texts: string; sources: string | null }): (ChatPassage | null)[] => {
  const texts: string[] = JSON.parse(row.texts)
  const sources: Message["sources"] = JSON.parse(row.sources ?? "[]")
  return (sources ?? []).map((source, index) => source && { ...source, text: texts[index] ?? "" })
}

/** Reads stored messages. */
export const createMessageReader = (db: Database) => {
  const addExtras = async (
    rows: readonly Selectable<ChatMessageRow>[],
    reader: Reader,
  ): Promise<Message[]> => {
    const ids = rows.map(({ id }) => id)
    const images = await readInChunks(ids, (chunk) =>
      reader
        .selectFrom("chat_images")
        .select(["id", "message_id", "media_type"])
        .where("message_id", "in", chunk)
        .orderBy("position")
        .execute(),
    )
    const ratings = await readInChunks(ids, (chunk) =>
      reader
        .selectFrom("message_ratings")
        .select(["message_id", "value", "reason"])
        .where("message_id", "in", chunk)
        .execute(),
    )
    const imagesById = Map.groupBy(images, ({ message_id }) => message_id)
    const ratingById = new Map(ratings.map((rating) => [rating.message_id, rating]))
    return rows.map((row) => toMessage(row, imagesById.get(row.id), ratingById.get(row.id)))
  }

  const messagesOf = (chatId: string, reader: Reader) =>
    reader.selectFrom("chat_messages").selectAll().where("chat_id", "=", chatId)

  return {
    /** @param changedSince epoch ms */
    changedSince: async (chatId: string, changedSince: number): Promise<Message[]> => {
      const rows = await messagesOf(chatId, db.read)
        .where("changed_ms", ">=", changedSince)
        .orderBy("position")
        .execute()
      return addExtras(rows, db.read)
    },

    inRange: async (chatId: string, { from, to }: PositionRange): Promise<Message[]> => {
      const rows = await messagesOf(chatId, db.read)
        .where("position", ">=", from)
        .where("position", "<=", to)
        .orderBy("position")
        .execute()
      return addExtras(rows, db.read)
    },

    /** In the order of `ids`; unknown ids are omitted. */
    byIds: async (
      chatId: string,
      ids: readonly string[],
      reader: Reader = db.read,
    ): Promise<Message[]> => {
      const rows = await readInChunks(ids, (chunk) =>
        messagesOf(chatId, reader).where("id", "in", chunk).execute(),
      )
      return orderByIds(ids, await addExtras(rows, reader))
    },

    /** The tree of a chat's messages, without their texts, in order of position. */
    links: (chatId: string, reader: Reader = db.read): Promise<MessageLink[]> =>
      reader
        .selectFrom("chat_messages")
        .select(["id", "parent_id", "position", textBytes.as("bytes")])
        .where("chat_id", "=", chatId)
        .orderBy("position")
        .execute(),

    /** Positions and sizes in bytes of at most `limit` messages after or before a position. */
    sizes: (
      chatId: string,
      start: { after: number } | { before: number },
      limit: number,
    ): Promise<{ position: number; bytes: number }[]> => {
      const messages = db.read
        .selectFrom("chat_messages")
        .select(["position", textBytes.as("bytes")])
        .where("chat_id", "=", chatId)
        .limit(limit)
      return "after" in start
        ? messages.where("position", ">", start.after).orderBy("position").execute()
        : messages.where("position", "<", start.before).orderBy("position", "desc").execute()
    },

    /** The ids of a chat's answers in progress, in any process. */
    listRunningIds: async (chatId: string): Promise<string[]> => {
      const rows = await db.read
        .selectFrom("chat_messages")
        .select("id")
        .where("chat_id", "=", chatId)
        .where("state", "=", "running")
        .execute()
      return rows.map(({ id }) => id)
    },

    image: async (chatId: string, id: string): Promise<StoredImage | undefined> =>
      db.read
        .selectFrom("chat_images")
        .innerJoin("chat_messages", "chat_messages.id", "chat_images.message_id")
        .select(["chat_images.id", "media_type", "base64"])
        .where("chat_images.id", "=", id)
        .where("chat_id", "=", chatId)
        .executeTakeFirst(),

    /** In bytes, as stored in base64. */
    imageSize: async (id: string): Promise<number> => {
      const length = sql<number>`length(base64)`.as("size")
      const image = db.read.selectFrom("chat_images").select(length).where("id", "=", id)
      return (await image.executeTakeFirst())?.size ?? 0
    },

    /** By image id, including their bytes. */
    images: async (messageIds: readonly string[]): Promise<Map<string, StoredImage>> => {
      const rows = await readInChunks(messageIds, (chunk) =>
        db.read
          .selectFrom("chat_images")
          .select(["id", "media_type", "base64"])
          .where("message_id", "in", chunk)
          .execute(),
      )
      return new Map(rows.map((row) => [row.id, row]))
    },

    /** The combined size of the images of these messages, in base64. */
    imageBytes: async (messageIds: readonly string[], reader: Reader): Promise<number> => {
      const sums = await readInChunks(messageIds, (chunk) =>
        reader
          .selectFrom("chat_images")
          .select(sql<number | null>`sum(octet_length(base64))`.as("bytes"))
          .where("message_id", "in", chunk)
          .execute(),
      )
      return sums.reduce((total, { bytes }) => total + Number(bytes ?? 0), 0)
    },

    /**
     * The passages that answers were given, by message id; answers without passages are omitted.
     */
    passages: async (
      chatId: string,
      messageIds: readonly string[],
    ): Promise<Map<string, (ChatPassage | null)[]>> => {
      const rows = await readInChunks(messageIds, (chunk) =>
        db.read
          .selectFrom("chat_passages")
          .innerJoin("chat_messages", "chat_messages.id", "chat_passages.message_id")
          .select(["message_id", "texts", "sources"])
          .where("chat_id", "=", chatId)
          .where("message_id", "in", chunk)
          .execute(),
      )
      return new Map(rows.map((row) => [row.message_id, toPassages(row)]))
    },
  }
}
