import { failInvalid } from "../../errors.ts"
import { findUnstorableInBody } from "../../http/body.ts"
import {
  elementRanges,
  type JsonMember,
  readMembers,
  removeMember,
} from "../../http/json-members.ts"
import type { JsonObject } from "../../http/json-object.ts"
import { validate } from "../../http/validate.ts"
import { ChatImport, ChatToImport, MessageToImport } from "./schema.ts"

/**
 * Chats up to this size are parsed at once. Larger ones are parsed message by message, so that they
 * are not in memory twice.
 */
const maxSinglePassBytes = 256 * 1024
const maxChats = 2000
const maxMessages = 20_000
/** Distinct files and collections that one chat refers to. */
const maxReferencedFiles = 10_000
/** Maximum size of a chat without its messages. */
const maxRestBytes = 2_000_000
const openBrace = 0x7b
const openBracket = 0x5b

const ChatFields = ChatToImport.omit({ messages: true })

/** Chats to import; each is parsed and validated when it is its turn. */
export type ChatImportSource = { markdown: string } | { chats: () => Iterable<ChatToImport> }

const parseValue = (bytes: Buffer, path: string): unknown => {
  const value: unknown = JSON.parse(bytes.toString("utf8"))
  if (findUnstorableInBody(bytes, value) === null) return value
  return failInvalid(path, "Remove U+0000 characters and lone surrogates.")
}

const parseMessages = (
  bytes: Buffer,
  { valueStart }: JsonMember,
  at: number,
): MessageToImport[] => {
  const messages: MessageToImport[] = []
  for (const { start, end } of elementRanges(bytes, valueStart)) {
    const path = ["chats", at, "messages", messages.length]
    if (messages.length === maxMessages)
      failInvalid(path.join("."), `A chat may have at most ${maxMessages} messages.`)
    messages.push(
      validate(MessageToImport, parseValue(bytes.subarray(start, end), path.join(".")), path),
    )
  }
  return messages
}

const checkReferences = (chat: ChatToImport, at: number): ChatToImport => {
  const ids = new Set<string>()
  for (const { files, sources, sources_skipped } of chat.messages) {
    for (const { id } of [...files, ...sources_skipped]) ids.add(id)
    for (const source of sources ?? []) if (source) ids.add(source.file_id)
  }
  if (ids.size <= maxReferencedFiles) return chat
  return failInvalid(
    `chats.${at}`,
    `A chat may refer to at most ${maxReferencedFiles} different files.`,
  )
}

const parseChat = (bytes: Buffer, at: number): ChatToImport => {
  const path = `chats.${at}`
  if (bytes[0] !== openBrace) failInvalid(path, "Use a chat object.")
  if (bytes.length <= maxSinglePassBytes)
    return validate(ChatToImport, parseValue(bytes, path), ["chats", at])
  const found = readMembers(bytes, 100)
  const [messages, duplicate] = found.filter(({ key }) => key === "messages")
  if (!messages || duplicate || bytes[messages.valueStart] !== openBracket) {
    return failInvalid(`${path}.messages`, "Use a single array of messages.")
  }
  const otherFields = removeMember(bytes, found, "messages")
  if (otherFields.length > maxRestBytes)
    failInvalid(path, `A chat may have at most ${maxRestBytes} bytes in addition to its messages.`)
  const checked = validate(ChatFields, parseValue(otherFields, path), ["chats", at])
  return { ...checked, messages: parseMessages(bytes, messages, at) }
}

const parseChats = (bytes: Buffer, { valueStart }: JsonMember) =>
  function* (): Generator<ChatToImport> {
    let at = 0
    for (const { start, end } of elementRanges(bytes, valueStart)) {
      if (at === maxChats) failInvalid("chats", `Import at most ${maxChats} chats at a time.`)
      yield checkReferences(parseChat(bytes.subarray(start, end), at), at)
      at++
    }
    if (at === 0) failInvalid("chats", "Include at least one chat.")
  }

/** @throws {Failure} `invalid` if the body contains neither chats nor Markdown */
export const parseChatImport = ({
  bytes,
  members: found,
}: Pick<JsonObject, "bytes" | "members">): ChatImportSource => {
  const chats = found.find(({ key }) => key === "chats")
  if (chats && bytes[chats.valueStart] === openBracket) return { chats: parseChats(bytes, chats) }
  const markdown = found.find(({ key }) => key === "markdown")
  const value =
    markdown && parseValue(bytes.subarray(markdown.valueStart, markdown.valueEnd), "markdown")
  const checked = validate(ChatImport, { markdown: value })
  return "markdown" in checked ? checked : failInvalid("chats", "Use an array of chats.")
}
