import { type Insertable, sql } from "kysely"
import { readInChunks } from "../../db/chunked-queries.ts"
import type { ChatMessageRow } from "../../db/conversation-tables.ts"
import type { Database, Tx } from "../../db/database.ts"
import type { Message, MessageError } from "../schema.ts"
import { messageRowBytes, recountMessage } from "./message-bytes.ts"
import { createMessageReader, type StoredImage } from "./message-reader.ts"

/** An answer in progress, and the lease of the process that writes it. */
interface LeasedAnswer {
  id: string
  lease_until: number | null
}

const leaseSeconds = 10
/**
 * A different value each second: the change shows that the answer is alive
 * (`db/dead-holders.ts`).
 */
export const newLeaseExpiry = (): number => Math.floor(Date.now() / 1000) + leaseSeconds

const sourceColumns = ({ sources, sources_skipped }: Message) => ({
  sources: sources && JSON.stringify(sources),
  sources_skipped: JSON.stringify(sources_skipped),
})

/** The columns that change as an answer grows. */
const progressColumns = ({
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
  rating,
  ...rest
}: Message) => ({
  ...rest,
  // The text may end within a surrogate pair.
  content: rest.content.toWellFormed(),
  reasoning: rest.reasoning.toWellFormed(),
  error: rest.error === null ? null : JSON.stringify(rest.error),
  estimated: rest.estimated ? (1 as const) : (0 as const),
  edited: rest.edited ? (1 as const) : (0 as const),
})

const toRow = (message: Message, position: number): Insertable<ChatMessageRow> => {
  const { id, chat_id, parent_id, role, batch, created_at } = message
  const keyColumns = { id, chat_id, parent_id, role, batch, created_at, position }
  const files = JSON.stringify(message.files)
  const changed_ms = Date.now()
  const lease_until = message.state === "running" ? newLeaseExpiry() : null
  const texts = { ...progressColumns(message), ...sourceColumns(message), files }
  return { ...keyColumns, ...texts, lease_until, changed_ms, bytes: messageRowBytes(texts) }
}

/** Appends messages to a chat, in the given order. */
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
  let bytes = 0
  for (const message of messages) {
    position++
    const row = toRow(message, position)
    bytes += row.bytes
    await tx.insertInto("chat_messages").values(row).execute()
  }
  await tx
    .updateTable("chats")
    .set(({ eb }) => ({ text_bytes: eb("text_bytes", "+", bytes) }))
    .where("id", "=", chatId)
    .execute()
}

/** Sizes of images as stored, in base64. */
export const imageBytes = (images: readonly Pick<StoredImage, "base64">[]): number =>
  images.reduce((bytes, { base64 }) => bytes + base64.length, 0)

export const insertImages = async (
  tx: Tx,
  messageId: string,
  images: readonly StoredImage[],
): Promise<void> => {
  if (images.length === 0) return
  for (const [position, image] of images.entries()) {
    const row = { ...image, message_id: messageId, position }
    await tx.insertInto("chat_images").values(row).execute()
  }
  await tx
    .updateTable("chats")
    .set(({ eb }) => ({ image_bytes: eb("image_bytes", "+", imageBytes(images)) }))
    .where("id", "=", (eb) =>
      eb.selectFrom("chat_messages").select("chat_id").where("id", "=", messageId),
    )
    .execute()
}

/** Stores the sources of an answer: the locations of its passages, and their texts separately. */
export const saveSources = async (
  tx: Tx,
  message: Message,
  texts: readonly string[],
): Promise<void> => {
  const columns = { ...sourceColumns(message), changed_ms: Date.now() }
  await tx.updateTable("chat_messages").set(columns).where("id", "=", message.id).execute()
  const row = { message_id: message.id, texts: JSON.stringify(texts) }
  await tx
    .insertInto("chat_passages")
    .values(row)
    .onConflict((conflict) => conflict.column("message_id").doUpdateSet({ texts: row.texts }))
    .execute()
  if (message.state !== "running") await recountMessage(tx, message)
}

/** Without images and passages; see `imageBytes` and `passageBytes`. */
export const messageBytes = (message: Message): number => toRow(message, 0).bytes

export const passageBytes = (texts: readonly string[] | null): number =>
  texts === null ? 0 : Buffer.byteLength(JSON.stringify(texts))

export const createMessageStore = (db: Database) => {
  return {
    ...createMessageReader(db),

    insert: insertMessages,
    insertImages,

    saveSources,

    /**
     * Stores the current state of an answer.
     * @param leaseUntil set while it is running; other processes watch this value change
     */
    save: async (tx: Tx, message: Message, leaseUntil: number | null): Promise<void> => {
      await tx
        .updateTable("chat_messages")
        .set({ ...progressColumns(message), lease_until: leaseUntil, changed_ms: Date.now() })
        .where("id", "=", message.id)
        .execute()
      // Not while the answer grows: this would also write its chat's row several times per second.
      if (message.state !== "running") await recountMessage(tx, message)
    },

    /** Marks a message as changed, so that other processes read it again. */
    touch: async (tx: Tx, id: string): Promise<void> => {
      const changed_ms = Date.now()
      await tx.updateTable("chat_messages").set({ changed_ms }).where("id", "=", id).execute()
    },

    /** Renews the leases of idle answers. @returns the ids of those still considered running */
    renewLeases: async (tx: Tx, ids: readonly string[], leaseUntil: number): Promise<string[]> => {
      const rows = await tx
        .updateTable("chat_messages")
        .set({ lease_until: leaseUntil })
        .where("id", "in", ids)
        .where("state", "=", "running")
        .returning("id")
        .execute()
      return rows.map(({ id }) => id)
    },

    /** Stores that an answer was stopped, or all answers of the chat if `messageId` is null. */
    requestStop: async (tx: Tx, chatId: string, messageId: string | null): Promise<void> => {
      const running = tx
        .updateTable("chat_messages")
        .set(({ ref }) => ({ stopped_request_id: ref("request_id") }))
        .where("chat_id", "=", chatId)
        .where("state", "=", "running")
      await (messageId === null ? running : running.where("id", "=", messageId)).execute()
    },

    /** Those of the answers that were neither stopped nor deleted, in any process. */
    listUnstopped: async (
      answers: readonly Pick<Message, "id" | "request_id">[],
    ): Promise<string[]> => {
      const requestById = new Map(answers.map(({ id, request_id }) => [id, request_id]))
      const rows = await readInChunks([...requestById.keys()], (ids) =>
        db.read
          .selectFrom("chat_messages")
          .select(["id", "stopped_request_id"])
          .where("id", "in", ids)
          .execute(),
      )
      return rows
        .filter(({ id, stopped_request_id: stopped }) => {
          return stopped === null || stopped !== requestById.get(id)
        })
        .map(({ id }) => id)
    },

    /** Answers in progress in any process, with their leases. */
    listRunning: (): Promise<LeasedAnswer[]> =>
      db.read
        .selectFrom("chat_messages")
        .select(["id", "lease_until"])
        .where("state", "=", "running")
        .execute(),

    /**
     * Marks the answers of a dead process as interrupted, provided their leases have not changed.
     * @returns the chats of these answers
     */
    interrupt: async (tx: Tx, error: MessageError, dead: readonly LeasedAnswer[]) => {
      const chats: { chat_id: string; user_id: string }[] = []
      for (const { id, lease_until } of dead) {
        const chat = await tx
          .selectFrom("chat_messages")
          .innerJoin("chats", "chats.id", "chat_messages.chat_id")
          .select(["chats.id as chat_id", "user_id"])
          .where("chat_messages.id", "=", id)
          .executeTakeFirst()
        if (!chat) continue
        const [marked] = await tx
          .updateTable("chat_messages")
          .set({
            state: "interrupted",
            error: JSON.stringify(error),
            lease_until: null,
            changed_ms: Date.now(),
          })
          .where("id", "=", id)
          .where("state", "=", "running")
          .where("lease_until", lease_until === null ? "is" : "=", lease_until)
          .returning("id")
          .execute()
        if (!marked) continue
        await recountMessage(tx, { id, chat_id: chat.chat_id })
        chats.push(chat)
      }
      return chats
    },
  }
}

export type MessageStore = ReturnType<typeof createMessageStore>
