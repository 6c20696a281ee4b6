import { randomUUIDv7 } from "node:crypto"
import type { Tx } from "../db/database.ts"
import { titleFrom } from "./branch.ts"
import type { ExportedChat, ExportedMessage } from "./import-export-schema.ts"
import type { Image } from "./message-reader.ts"
import {
  cite,
  imageBytes,
  insertImages,
  insertMessages,
  messageBytes,
  passageBytes,
} from "./message-store.ts"
import { type Message, unwritten } from "./schema.ts"
import type { Passage, Source } from "./source-schema.ts"
import { chatBytes, insertChat, type StoredChat } from "./store.ts"

/**
 * Puts parents before their children, each once. A message with an unknown or cyclic parent becomes
 * a root.
 */
const inOrder = (messages: readonly ExportedMessage[]): ExportedMessage[] => {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const placed = new Map<string, ExportedMessage>()
  for (const first of byId.values()) {
    for (const message of upwards(first, byId, placed).reverse()) {
      const parent = message.parent_id
      const known = parent !== null && placed.has(parent)
      placed.set(message.id, { ...message, parent_id: known ? parent : null })
    }
  }
  return [...placed.values()]
}

/** A message and its ancestors that are not placed yet, nearest first. */
const upwards = (
  first: ExportedMessage,
  byId: ReadonlyMap<string, ExportedMessage>,
  placed: ReadonlyMap<string, ExportedMessage>,
): ExportedMessage[] => {
  const chain = new Set<ExportedMessage>()
  let at: ExportedMessage | undefined = first
  while (at && !placed.has(at.id) && !chain.has(at)) {
    chain.add(at)
    at = at.parent_id === null ? undefined : byId.get(at.parent_id)
  }
  return [...chain]
}

/** `cited` is derived from the answer's text. */
const placeOf = ({ text, cited, ...place }: Passage): Source => place

/** What a message stores outside its row. */
interface Belongings {
  images: Image[]
  /** The texts of its sources, in their order; null if it has none. */
  texts: string[] | null
}

/** An imported chat, as it will be stored. */
export interface NewChat {
  chat: StoredChat
  messages: Message[]
  /** By message id. */
  belongings: ReadonlyMap<string, Belongings>
}

const belongingsOf = ({ images, sources }: ExportedMessage): Belongings => ({
  images: images.map((image) => ({ ...image, id: randomUUIDv7() })),
  texts: sources?.map((passage) => passage?.text ?? "") ?? null,
})

/** Converts an exported chat to one owned by `userId`, with new ids throughout. */
export const newChatOf = (userId: string, exported: ExportedChat): NewChat => {
  const { messages: taken, ...rest } = exported
  const id = randomUUIDv7()
  const ordered = inOrder(taken)
  const newIds = new Map(ordered.map((message) => [message.id, randomUUIDv7() as string]))
  const renamed = (old: string | null): string | null =>
    old === null ? null : (newIds.get(old) ?? null)
  const belongings = new Map<string, Belongings>()
  const messages = ordered.map((message): Message => {
    const own = renamed(message.id) ?? randomUUIDv7()
    const brought = belongingsOf(message)
    belongings.set(own, brought)
    return {
      ...message,
      id: own,
      chat_id: id,
      parent_id: renamed(message.parent_id),
      images: brought.images.map(({ id, media_type }) => ({ id, media_type })),
      sources: message.sources?.map((passage) => passage && placeOf(passage)) ?? null,
      ...unwritten,
    }
  })
  const firstWords = ordered.find(({ role }) => role === "user")?.content ?? ""
  const chat: StoredChat = {
    ...rest,
    id,
    user_id: userId,
    title: exported.title.trim() || titleFrom(firstWords),
    title_source: "person",
    pinned: false,
    archived: false,
    shared: false,
    current_id: renamed(exported.current_id) ?? messages.at(-1)?.id ?? null,
  }
  return { chat, messages, belongings }
}

/** Its share of the owner's storage, in bytes. */
export const bytesOfNewChat = ({ chat, messages, belongings }: NewChat): number =>
  messages.reduce((bytes, message) => {
    const { images = [], texts = null } = belongings.get(message.id) ?? {}
    return bytes + messageBytes(message) + imageBytes(images) + passageBytes(texts)
  }, chatBytes(chat))

export const insertNewChat = async (tx: Tx, { chat, messages, belongings }: NewChat) => {
  await insertChat(tx, chat)
  await insertMessages(tx, chat.id, messages)
  for (const message of messages) {
    const { images = [], texts = null } = belongings.get(message.id) ?? {}
    await insertImages(tx, message.id, images)
    if (texts) await cite(tx, message, texts)
  }
}
