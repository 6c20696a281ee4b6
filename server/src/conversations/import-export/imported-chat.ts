import { createHash, randomUUIDv7 } from "node:crypto"
import type { Tx } from "../../db/database.ts"
import type { ChatPassage, ChatSource } from "../answers/source-schema.ts"
import { chatBytesWithoutMessages, insertChat, type StoredChat } from "../chats/chat-store.ts"
import { titleFromPrompt } from "../chats/title-from-prompt.ts"
import type { StoredImage } from "../messages/message-reader.ts"
import {
  imageBytes,
  insertImages,
  insertMessages,
  messageBytes,
  passageBytes,
  saveSources,
} from "../messages/message-store.ts"
import { ensureProject } from "../projects/project-store.ts"
import { emptyGenerationFields, type Message } from "../schema.ts"
import type { ChatToImport, MessageToImport } from "./schema.ts"

/**
 * Puts parents before their children, each once. A message with an unknown or cyclic parent becomes
 * a root.
 */
const orderByParent = (messages: readonly MessageToImport[]): MessageToImport[] => {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const placed = new Map<string, MessageToImport>()
  for (const first of byId.values()) {
    for (const message of unplacedAncestors(first, byId, placed).reverse()) {
      const parent = message.parent_id
      const known = parent !== null && placed.has(parent)
      placed.set(message.id, { ...message, parent_id: known ? parent : null })
    }
  }
  return [...placed.values()]
}

/** A message and its ancestors that are not placed yet, nearest first. */
const unplacedAncestors = (
  first: MessageToImport,
  byId: ReadonlyMap<string, MessageToImport>,
  placed: ReadonlyMap<string, MessageToImport>,
): MessageToImport[] => {
  const chain = new Set<MessageToImport>()
  let at: MessageToImport | undefined = first
  while (at && !placed.has(at.id) && !chain.has(at)) {
    chain.add(at)
    at = at.parent_id === null ? undefined : byId.get(at.parent_id)
  }
  return [...chain]
}

/** `cited` is derived from the answer's text. */
const toSource = ({ text, cited, ...place }: ChatPassage): ChatSource => place

/** What a message stores outside its row. */
interface MessageParts {
  images: StoredImage[]
  /** The texts of its sources, in their order; null if it has none. */
  sourceTexts: string[] | null
}

/** An imported chat, as it will be stored. */
export interface ImportedChat {
  chat: StoredChat
  messages: Message[]
  /** By message id. */
  partsByMessage: ReadonlyMap<string, MessageParts>
  /** The ID that the chat had where it was exported, if the file contains it. */
  exportedId: string | null
  importKey: string
}

/** The same for the same chat whenever it is imported, also from Markdown, which has no times. */
const importKeyOf = ({ id: exportedId, title, messages }: ChatToImport): string => {
  const hash = createHash("sha256").update(JSON.stringify(exportedId ?? title))
  for (const { id, parent_id, role, model, content } of messages) {
    hash.update(JSON.stringify([id, parent_id, role, model, content]))
  }
  return hash.digest("base64url")
}

const createParts = ({ images, sources }: MessageToImport): MessageParts => ({
  images: images.map((image) => ({ ...image, id: randomUUIDv7() })),
  sourceTexts: sources?.map((passage) => passage?.text ?? "") ?? null,
})

/** Converts an exported chat to one owned by `userId`, with new ids throughout. */
export const toImportedChat = (userId: string, exported: ChatToImport): ImportedChat => {
  const { messages: exportedMessages, ...rest } = exported
  const id = randomUUIDv7()
  const ordered = orderByParent(exportedMessages)
  const newIds = new Map(ordered.map((message) => [message.id, randomUUIDv7() as string]))
  const newIdOf = (old: string | null): string | null =>
    old === null ? null : (newIds.get(old) ?? null)
  const partsByMessage = new Map<string, MessageParts>()
  const messages = ordered.map((message): Message => {
    const newId = newIdOf(message.id) ?? randomUUIDv7()
    const parts = createParts(message)
    partsByMessage.set(newId, parts)
    return {
      ...message,
      id: newId,
      chat_id: id,
      parent_id: newIdOf(message.parent_id),
      images: parts.images.map(({ id, media_type }) => ({ id, media_type })),
      sources: message.sources?.map((passage) => passage && toSource(passage)) ?? null,
      ...emptyGenerationFields,
      edited: message.edited,
    }
  })
  const firstPrompt = ordered.find(({ role }) => role === "user")?.content ?? ""
  const chat: StoredChat = {
    ...rest,
    id,
    user_id: userId,
    title: exported.title.trim() || titleFromPrompt(firstPrompt),
    title_source: "person",
    pinned: false,
    archived: false,
    shared: false,
    current_id: newIdOf(exported.current_id) ?? messages.at(-1)?.id ?? null,
  }
  return {
    chat,
    messages,
    partsByMessage,
    exportedId: exported.id ?? null,
    importKey: importKeyOf(exported),
  }
}

/** Its share of the owner's storage, in bytes. */
export const importedChatBytes = ({ chat, messages, partsByMessage }: ImportedChat): number =>
  messages.reduce((bytes, message) => {
    const { images = [], sourceTexts = null } = partsByMessage.get(message.id) ?? {}
    return bytes + messageBytes(message) + imageBytes(images) + passageBytes(sourceTexts)
  }, chatBytesWithoutMessages(chat))

export const insertImportedChat = async (
  tx: Tx,
  { chat, messages, partsByMessage, importKey }: ImportedChat,
) => {
  await insertChat(tx, chat, importKey)
  const { folder, created_at: now } = chat
  await ensureProject(tx, chat.user_id, { folder, now })
  await insertMessages(tx, chat.id, messages)
  for (const message of messages) {
    const { images = [], sourceTexts = null } = partsByMessage.get(message.id) ?? {}
    await insertImages(tx, message.id, images)
    if (sourceTexts) await saveSources(tx, message, sourceTexts)
  }
}

/** Whether the owner has the exported chat itself, or a chat imported from it. */
export const hasImportedChat = async (
  tx: Tx,
  { chat, exportedId, importKey }: ImportedChat,
): Promise<boolean> => {
  const owned = tx.selectFrom("chats").select("id").where("user_id", "=", chat.user_id)
  const found =
    (await owned.where("id", "=", exportedId ?? "").executeTakeFirst()) ??
    (await owned.where("import_key", "=", importKey).executeTakeFirst())
  return found !== undefined
}
