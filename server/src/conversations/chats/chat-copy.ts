import type { UserLimits } from "../../concurrency/user-limits.ts"
import { fail } from "../../errors.ts"
import { type JsonBody, smallBodyBytes } from "../../http/body-buffer.ts"
import type { Caller } from "../../http/caller.ts"
import { jsonLimitsFor, parseJsonObject } from "../../http/json-object.ts"
import { JsonScanner } from "../../http/json-scanner.ts"
import { translatable } from "../../i18n/message.ts"
import type { ChatExport } from "../import-export/chat-export.ts"
import type { ChatImporter } from "../import-export/chat-importer.ts"
import type { Chat } from "../schema.ts"
import type { ChatStore } from "./chat-store.ts"
import type { Chats } from "./chats.ts"

/** Like an import. */
const maxBytes = 50_000_000

interface Deps {
  chats: Chats
  store: ChatStore
  chatExport: ChatExport
  importer: ChatImporter
  limits: Pick<UserLimits, "bodies">
  now: () => number
}

/** Copies chats: exports what the caller may read, and imports it as the caller's own chat. */
export const createChatCopy = (deps: Deps) => {
  const { chats, store, chatExport, importer, limits, now } = deps

  const failTooLarge = (): never =>
    fail("body_too_large", translatable("chat_too_large_to_copy", { max: maxBytes / 1e6 }))

  /** Scanned as it is read, like a request's body: scanning 50 MB at once would block others. */
  const readImport = async (chatJson: AsyncIterable<string>): Promise<JsonBody> => {
    const scanner = new JsonScanner(jsonLimitsFor(maxBytes))
    const read: Buffer[] = []
    let length = 0
    const add = (text: string): void => {
      const piece = Buffer.from(text)
      length += piece.length
      if (length > maxBytes) failTooLarge()
      scanner.write(piece)
      read.push(piece)
    }
    add('{"chats":[')
    for await (const piece of chatJson) add(piece)
    add("]}")
    return { bytes: Buffer.concat(read), scan: length > smallBodyBytes ? scanner.end() : null }
  }

  /**
   * Without the owner's system prompt, parameters and ratings, and without files that the caller
   * may not read.
   * @throws {Failure} `not_found`, `body_too_large`, `limit_reached`, `storage_limit`
   */
  return async (caller: Caller, id: string): Promise<Chat> => {
    const chat = await chats.getReadable(caller, id)
    const size = await store.size(id)
    if (size > maxBytes) failTooLarge()
    const release = limits.bodies.reserve(caller.user.id, size)
    try {
      const at = now()
      const copied = { ...chat, created_at: at, updated_at: at }
      const body = await readImport(chatExport.chatJson({ caller, chat: copied }))
      const file = parseJsonObject(body)
      const { ids } = await importer.import(caller, file, { skip_existing: false })
      const [newId = ""] = ids
      return chats.toReaderView(caller, await chats.getOwn(caller, newId))
    } finally {
      release()
    }
  }
}

export type ChatCopy = ReturnType<typeof createChatCopy>
