import { type Insertable, type Selectable, sql } from "kysely"
import type { ChatMessageRow } from "../db/chat-tables.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import { foldCase } from "../db/text.ts"
import { Message, MessageError, MessageState } from "./schema.ts"
import type { Passage } from "./source-schema.ts"

export interface Image {
  id: string
  media_type: string
  base64: string
}

/** A running answer, and the lease of the process that writes it. */
interface Held {
  id: string
  lease_until: number | null
}

const leaseSeconds = 10
/** Another number each second: that it changes shows an answer to be alive (`db/failure-detector.ts`). */
export const newLease = (): number => Math.floor(Date.now() / 1000) + leaseSeconds

const Role = Message.shape.role

const listOf = (json: string | null) => (json === null ? [] : JSON.parse(json))

const toMessage = (row: Selectable<ChatMessageRow>, images: Message["images"]): Message => {
  const { position, content_key, lease_until, changed_ms, ...message } = row
  return {
    ...message,
    role: Role.parse(row.role),
    state: MessageState.parse(row.state),
    error: row.error === null ? null : MessageError.parse(JSON.parse(row.error)),
    estimated: row.estimated === 1,
    images,
    files: listOf(row.files),
    sources: row.sources === null ? null : JSON.parse(row.sources),
    sources_skipped: listOf(row.sources_skipped),
  }
}

const citedOf = ({ sources, sources_skipped }: Message) => ({
  sources: sources && JSON.stringify(sources),
  sources_skipped: JSON.stringify(sources_skipped),
})

/** What a running answer changes of its row as it grows. */
const progressOf = ({
  id,
  chat_id,
  parent_id,
  role,
  batch,
  created_at,
  images,
  files,
  sources,
  sources_skipped,
  ...rest
}: Message) => ({
  ...rest,
  // Half a character may be all that came yet.
  content: rest.content.toWellFormed(),
  reasoning: rest.reasoning.toWellFormed(),
  // Folding a long text several times a second is for nothing: it is searched when it is whole.
  content_key: rest.state === "running" ? "" : foldCase(rest.content.toWellFormed()),
  error: rest.error === null ? null : JSON.stringify(rest.error),
  estimated: rest.estimated ? (1 as const) : (0 as const),
})

const passagesOf = (row: { texts: string; sources: string | null }): (Passage | null)[] => {
  const texts: string[] = JSON.parse(row.texts)
  const sources: Message["sources"] = JSON.parse(row.sources ?? "[]")
  return (sources ?? []).map((source, index) => source && { ...source, text: texts[index] ?? "" })
}

const toRow = (message: Message, position: number): Insertable<ChatMessageRow> => {
  const { id, chat_id, parent_id, role, batch, created_at } = message
  const own = { id, chat_id, parent_id, role, batch, created_at, position }
  const files = JSON.stringify(message.files)
  const changed_ms = Date.now()
  const lease_until = message.state === "running" ? newLease() : null
  return { ...own, ...progressOf(message), ...citedOf(message), files, lease_until, changed_ms }
}

/** Adds messages after those that the chat has, in their order. */
export const insertMessages = async (
  tx: Tx,
  chatId: string,
  messages: readonly Message[],
): Promise<void> => {
  const { last } = await tx
    .selectFrom("chat_messages")
    .select(sql<number | null>`max(position)`.as("last"))
    .where("chat_id", "=", chatId)
    .executeTakeFirstOrThrow()
  let position = Number(last ?? -1)
  for (const message of messages) {
    position++
    await tx.insertInto("chat_messages").values(toRow(message, position)).execute()
  }
}

export const insertImages = async (
  tx: Tx,
  messageId: string,
  images: readonly Image[],
): Promise<void> => {
  for (const [position, image] of images.entries()) {
    const row = { ...image, message_id: messageId, position }
    await tx.insertInto("chat_images").values(row).execute()
  }
}

/** Writes what an answer rests on: where each passage stands, and its text beside. */
export const cite = async (tx: Tx, message: Message, texts: readonly string[]): Promise<void> => {
  const cited = { ...citedOf(message), changed_ms: Date.now() }
  await tx.updateTable("chat_messages").set(cited).where("id", "=", message.id).execute()
  const row = { message_id: message.id, texts: JSON.stringify(texts) }
  await tx
    .insertInto("chat_passages")
    .values(row)
    .onConflict((conflict) => conflict.column("message_id").doUpdateSet({ texts: row.texts }))
    .execute()
}
export const createMessageStore = (db: Database) => {
  const imagesOf = async (ids: readonly string[], reader: Reader) => {
    const byMessage = new Map<string, Message["images"]>()
    if (ids.length === 0) return byMessage
    const rows = await reader
      .selectFrom("chat_images")
      .innerJoin("chat_messages", "chat_messages.id", "chat_images.message_id")
      .select(["chat_images.id", "message_id", "media_type"])
      .where("chat_id", "in", ids)
      .orderBy("chat_images.position")
      .execute()
    for (const { id, message_id, media_type } of rows) {
      const known = byMessage.get(message_id)
      if (known) known.push({ id, media_type })
      else byMessage.set(message_id, [{ id, media_type }])
    }
    return byMessage
  }

  return {
    /** @param changedSince epoch ms; only what changed since then */
    ofChat: async (
      chatId: string,
      { reader = db.read, changedSince }: { reader?: Reader; changedSince?: number } = {},
    ): Promise<Message[]> => {
      let found = reader.selectFrom("chat_messages").selectAll().where("chat_id", "=", chatId)
      if (changedSince !== undefined) found = found.where("changed_ms", ">=", changedSince)
      const rows = await found.orderBy("position").execute()
      const images = await imagesOf([chatId], reader)
      return rows.map((row) => toMessage(row, images.get(row.id) ?? []))
    },

    insert: insertMessages,
    insertImages,

    image: async (chatId: string, id: string): Promise<Image | undefined> =>
      db.read
        .selectFrom("chat_images")
        .innerJoin("chat_messages", "chat_messages.id", "chat_images.message_id")
        .select(["chat_images.id", "media_type", "base64"])
        .where("chat_images.id", "=", id)
        .where("chat_id", "=", chatId)
        .executeTakeFirst(),

    images: async (chatId: string): Promise<Map<string, Image>> => {
      const rows = await db.read
        .selectFrom("chat_images")
        .innerJoin("chat_messages", "chat_messages.id", "chat_images.message_id")
        .select(["chat_images.id", "media_type", "base64"])
        .where("chat_id", "=", chatId)
        .execute()
      return new Map(rows.map((row) => [row.id, row]))
    },

    cite,

    /** The passages that one answer was given, or those of a whole chat, by message. */
    passages: async (
      chatId: string,
      messageId: string | null,
    ): Promise<Map<string, (Passage | null)[]>> => {
      let found = db.read
        .selectFrom("chat_passages")
        .innerJoin("chat_messages", "chat_messages.id", "chat_passages.message_id")
        .select(["message_id", "texts", "sources"])
        .where("chat_id", "=", chatId)
      if (messageId !== null) found = found.where("message_id", "=", messageId)
      const rows = await found.execute()
      return new Map(rows.map((row) => [row.message_id, passagesOf(row)]))
    },

    /**
     * Writes what an answer has become.
     * @param leaseUntil while it runs; others see that it is another one each time
     */
    save: async (tx: Tx, message: Message, leaseUntil: number | null): Promise<void> => {
      await tx
        .updateTable("chat_messages")
        .set({ ...progressOf(message), lease_until: leaseUntil, changed_ms: Date.now() })
        .where("id", "=", message.id)
        .execute()
    },

    /** Shows that silent answers are alive. @returns the ids of those that others see so */
    renew: async (tx: Tx, ids: readonly string[], leaseUntil: number): Promise<string[]> => {
      const rows = await tx
        .updateTable("chat_messages")
        .set({ lease_until: leaseUntil })
        .where("id", "in", ids)
        .where("state", "=", "running")
        .returning("id")
        .execute()
      return rows.map(({ id }) => id)
    },

    /** Answers that are being written, here or elsewhere, and the leases that they are held by. */
    running: (): Promise<Held[]> =>
      db.read
        .selectFrom("chat_messages")
        .select(["id", "lease_until"])
        .where("state", "=", "running")
        .execute(),

    /**
     * Marks what a dead process left running, as long as its lease is the one that was seen.
     * @returns the chats they are in
     */
    interrupt: async (tx: Tx, error: MessageError, dead: readonly Held[]) => {
      const chats: { chat_id: string; user_id: string }[] = []
      for (const { id, lease_until } of dead) {
        const row = await tx
          .selectFrom("chat_messages")
          .innerJoin("chats", "chats.id", "chat_messages.chat_id")
          .select(["chat_messages.content", "chats.id as chat_id", "user_id"])
          .where("chat_messages.id", "=", id)
          .executeTakeFirst()
        if (!row) continue
        const { content, ...chat } = row
        const [marked] = await tx
          .updateTable("chat_messages")
          .set({
            state: "interrupted",
            error: JSON.stringify(error),
            content_key: foldCase(content),
            lease_until: null,
            changed_ms: Date.now(),
          })
          .where("id", "=", id)
          .where("state", "=", "running")
          .where("lease_until", lease_until === null ? "is" : "=", lease_until)
          .returning("id")
          .execute()
        if (marked) chats.push(chat)
      }
      return chats
    },
  }
}

export type MessageStore = ReturnType<typeof createMessageStore>
