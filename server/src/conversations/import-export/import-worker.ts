import { workerData } from "node:worker_threads"
import { serveRequests } from "../../background/worker-client.ts"
import { lowerThreadPriority } from "../../concurrency/thread-priority.ts"
import { type DatabaseLocation, openBackgroundWriter } from "../../db/background-writer.ts"
import { fail } from "../../errors.ts"
import { translatable } from "../../i18n/message.ts"
import type { ImportWorkerRequest, ImportWorkerResponse } from "./chat-importer.ts"
import { parseMarkdownChat } from "./chat-markdown.ts"
import {
  hasImportedChat,
  type ImportedChat,
  importedChatBytes,
  insertImportedChat,
  toImportedChat,
} from "./imported-chat.ts"
import { parseChatImport } from "./parse-chat-import.ts"
import type { ChatToImport } from "./schema.ts"

/** Runs in its own worker thread, which `chat-importer.ts` calls. */
lowerThreadPriority(10)
const db = await openBackgroundWriter(workerData as DatabaseLocation)

type CheckRequest = Extract<ImportWorkerRequest, { step: "check" }>

interface ActiveImport {
  userId: string
  skipsExisting: boolean
  remaining: Iterator<ChatToImport>
  /** The next chat to write. */
  chat: ImportedChat | null
}

let activeImport: ActiveImport | null = null

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

interface CheckedImport {
  chats: Iterable<ChatToImport>
  count: number
  /** The storage that they will take. */
  bytes: number
}

/** Validates all chats before the first is stored. If there are several, none is kept in memory. */
const checkChats = ({ userId, bytes, members }: CheckRequest): CheckedImport => {
  const sizeOf = (chat: ChatToImport): number => importedChatBytes(toImportedChat(userId, chat))
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const imported = parseChatImport({ bytes: buffer, members })
  if ("markdown" in imported) {
    const chat =
      parseMarkdownChat(imported.markdown, nowSeconds()) ??
      fail("invalid", "No conversation found in this Markdown.")
    return { chats: [chat], count: 1, bytes: sizeOf(chat) }
  }
  let count = 0
  let total = 0
  let only: ChatToImport | null = null
  for (const chat of imported.chats()) {
    only = count++ === 0 ? chat : null
    total += sizeOf(chat)
  }
  return { chats: only ? [only] : imported.chats(), count, bytes: total }
}

const requireActiveImport = (): ActiveImport =>
  activeImport ?? fail("unavailable", translatable("import_timeout"))

/** @returns whether there is another chat */
const prepare = (): boolean => {
  const current = requireActiveImport()
  const { value, done } = current.remaining.next()
  activeImport = done ? null : { ...current, chat: toImportedChat(current.userId, value) }
  return !done
}

/** @returns the id of the new chat; null if the user has it already */
const write = (): Promise<string | null> => {
  const { chat, skipsExisting } = requireActiveImport()
  if (!chat) throw new Error("The import has no next chat")
  return db.transact(async (tx) => {
    if (skipsExisting && (await hasImportedChat(tx, chat))) return null
    await insertImportedChat(tx, chat)
    return chat.chat.id
  })
}

const handle = async (request: ImportWorkerRequest): Promise<ImportWorkerResponse> => {
  if (request.step === "prepare") return prepare()
  if (request.step === "write") return write()
  const { userId, skipsExisting } = request
  const { chats, count, bytes } = checkChats(request)
  activeImport = { userId, skipsExisting, remaining: chats[Symbol.iterator](), chat: null }
  return { count, bytes }
}

serveRequests(async (request: ImportWorkerRequest) => {
  try {
    return await handle(request)
  } catch (error) {
    activeImport = null
    throw error
  }
})
