import { fail } from "../errors.ts"
import { unstorableIn } from "../http/body.ts"
import { type Member, members, rangesIn, without } from "../http/json-members.ts"
import type { JsonObject } from "../http/json-object.ts"
import { check } from "../http/validate.ts"
import { ChatImport, ExportedChat, ExportedMessage } from "./import-export-schema.ts"

/** Parsed in one go; of all else each message, so that not all of it is in memory twice. */
const pieceBytes = 256 * 1024
const maxChats = 2000
const maxMessages = 20_000
/** Different files and collections that one chat names. */
const maxReferenced = 10_000
/** Of a chat without its messages. */
const maxRestBytes = 2_000_000
const openBrace = 0x7b
const openBracket = 0x5b

const Rest = ExportedChat.omit({ messages: true })

/** Chats that are brought along: each is parsed and checked when its turn comes. */
export type Imported = { markdown: string } | { chats: () => Iterable<ExportedChat> }

const invalid = (path: string, message: string): never =>
  fail("invalid", `${path}: ${message}`, { errors: [{ path, message }] })

const parsed = (bytes: Buffer, path: string): unknown => {
  const value: unknown = JSON.parse(bytes.toString("utf8"))
  if (unstorableIn(bytes, value) === null) return value
  return invalid(path, "has U+0000 or a lone surrogate, which no text may have")
}

const messagesIn = (bytes: Buffer, { valueStart }: Member, at: number): ExportedMessage[] => {
  const messages: ExportedMessage[] = []
  for (const { start, end } of rangesIn(bytes, valueStart)) {
    const path = ["chats", at, "messages", messages.length]
    if (messages.length === maxMessages)
      invalid(path.join("../chats"), `is one more than ${maxMessages}`)
    messages.push(
      check(ExportedMessage, parsed(bytes.subarray(start, end), path.join("../chats")), path),
    )
  }
  return messages
}

const checkReferences = (chat: ExportedChat, at: number): ExportedChat => {
  const ids = new Set<string>()
  for (const { files, sources, sources_skipped } of chat.messages) {
    for (const { id } of [...files, ...sources_skipped]) ids.add(id)
    for (const source of sources ?? []) if (source) ids.add(source.file_id)
  }
  if (ids.size <= maxReferenced) return chat
  return invalid(`chats.${at}`, `refers to more than ${maxReferenced} different files`)
}

const chatIn = (bytes: Buffer, at: number): ExportedChat => {
  const path = `chats.${at}`
  if (bytes[0] !== openBrace) invalid(path, "must be a chat")
  if (bytes.length <= pieceBytes) return check(ExportedChat, parsed(bytes, path), ["chats", at])
  const found = members(bytes, 100)
  const [messages, twin] = found.filter(({ key }) => key === "messages")
  if (!messages || twin || bytes[messages.valueStart] !== openBracket) {
    return invalid(`${path}.messages`, "must be one array of messages")
  }
  const rest = without(bytes, found, "messages")
  if (rest.length > maxRestBytes)
    invalid(path, `has more than ${maxRestBytes} bytes beside messages`)
  const checked = check(Rest, parsed(rest, path), ["chats", at])
  return { ...checked, messages: messagesIn(bytes, messages, at) }
}

const chatsIn = (bytes: Buffer, { valueStart }: Member) =>
  function* (): Generator<ExportedChat> {
    let at = 0
    for (const { start, end } of rangesIn(bytes, valueStart)) {
      if (at === maxChats) invalid("chats", `has more than ${maxChats} chats; bring them in parts`)
      yield checkReferences(chatIn(bytes.subarray(start, end), at), at)
      at++
    }
    if (at === 0) invalid("chats", "must have a chat at least")
  }

/** @throws {Failure} `invalid` for what is neither chats nor Markdown */
export const readImport = ({
  bytes,
  members: found,
}: Pick<JsonObject, "bytes" | "members">): Imported => {
  const chats = found.find(({ key }) => key === "chats")
  if (chats && bytes[chats.valueStart] === openBracket) return { chats: chatsIn(bytes, chats) }
  const markdown = found.find(({ key }) => key === "markdown")
  const value =
    markdown && parsed(bytes.subarray(markdown.valueStart, markdown.valueEnd), "markdown")
  const checked = check(ChatImport, { markdown: value })
  return "markdown" in checked ? checked : invalid("chats", "must be an array of chats")
}
