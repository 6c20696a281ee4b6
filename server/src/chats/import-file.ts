import { setImmediate as breathe } from "node:timers/promises"
import { fail } from "../errors.ts"
import { unstorableIn } from "../http/body.ts"
import { check } from "../http/check.ts"
import type { JsonObject } from "../http/json-object.ts"
import { type Member, members, rangesIn, without } from "../http/members.ts"
import { ChatImport, ExportedChat, ExportedMessage } from "./transfer-schema.ts"

/** Parsed in one go; all else piece by piece, with others served between. */
const pieceBytes = 64 * 1024
const maxChats = 2000
const maxMessages = 20_000
/** Of a chat without its messages. */
const maxRestBytes = 2_000_000
const openBrace = 0x7b
const openBracket = 0x5b

const Rest = ExportedChat.omit({ messages: true })

/** What has to be known of all messages of a chat before the first of them is kept. */
export type Outline = Pick<ExportedMessage, "id" | "parent_id" | "role">

/** A chat that is brought along. Its messages are parsed one by one: all of them would be much to hold. */
export interface ImportedChat extends Omit<ExportedChat, "messages"> {
  outlines: readonly Outline[]
  /** @param place among the outlines */
  message: (place: number) => ExportedMessage
}

/** Chats that are brought along: each is parsed and checked when its turn comes. */
export type Imported = { markdown: string } | { chats: () => AsyncIterable<ImportedChat> }

const outlineOf = ({ id, parent_id, role }: ExportedMessage): Outline => ({ id, parent_id, role })

/** One that is in memory already. */
export const inMemory = ({ messages, ...rest }: ExportedChat): ImportedChat => ({
  ...rest,
  outlines: messages.map(outlineOf),
  message: (place) => messages[place] ?? fail("internal", `There is no message ${place}`),
})

const invalid = (path: string, message: string): never =>
  fail("invalid", `${path}: ${message}`, { errors: [{ path, message }] })

const parsed = (bytes: Buffer, path: string): unknown => {
  const value: unknown = JSON.parse(bytes.toString("utf8"))
  if (unstorableIn(bytes, value) === null) return value
  return invalid(path, "has U+0000 or a lone surrogate, which no text may have")
}

const messagesIn = async (bytes: Buffer, { valueStart }: Member, at: number) => {
  const ranges: { start: number; end: number }[] = []
  const outlines: Outline[] = []
  const message = (place: number): ExportedMessage => {
    const { start, end } = ranges[place] ?? { start: 0, end: 0 }
    const path = ["chats", at, "messages", place]
    return check(ExportedMessage, parsed(bytes.subarray(start, end), path.join(".")), path)
  }
  let breathedAt = valueStart
  for (const range of rangesIn(bytes, valueStart)) {
    const place = ranges.push(range) - 1
    if (place === maxMessages) {
      invalid(`chats.${at}.messages.${place}`, `is one more than ${maxMessages}`)
    }
    outlines.push(outlineOf(message(place)))
    if (range.end - breathedAt < pieceBytes) continue
    await breathe()
    breathedAt = range.end
  }
  return { outlines, message }
}

const chatIn = async (bytes: Buffer, at: number): Promise<ImportedChat> => {
  const path = `chats.${at}`
  if (bytes[0] !== openBrace) invalid(path, "must be a chat")
  if (bytes.length <= pieceBytes) {
    return inMemory(check(ExportedChat, parsed(bytes, path), ["chats", at]))
  }
  const found = members(bytes, 100)
  const [messages, twin] = found.filter(({ key }) => key === "messages")
  if (!messages || twin || bytes[messages.valueStart] !== openBracket) {
    return invalid(`${path}.messages`, "must be one array of messages")
  }
  const rest = without(bytes, found, "messages")
  if (rest.length > maxRestBytes)
    invalid(path, `has more than ${maxRestBytes} bytes beside messages`)
  const checked = check(Rest, parsed(rest, path), ["chats", at])
  return { ...checked, ...(await messagesIn(bytes, messages, at)) }
}

const chatsIn = (bytes: Buffer, { valueStart }: Member) =>
  async function* (): AsyncGenerator<ImportedChat> {
    let at = 0
    let breathedAt = valueStart
    for (const { start, end } of rangesIn(bytes, valueStart)) {
      if (at === maxChats) invalid("chats", `has more than ${maxChats} chats; bring them in parts`)
      yield await chatIn(bytes.subarray(start, end), at++)
      if (end - breathedAt < pieceBytes) continue
      await breathe()
      breathedAt = end
    }
    if (at === 0) invalid("chats", "must have a chat at least")
  }

/** @throws {Failure} `invalid` for what is neither chats nor Markdown */
export const readImport = ({ bytes, members: found }: JsonObject): Imported => {
  const chats = found.find(({ key }) => key === "chats")
  if (chats && bytes[chats.valueStart] === openBracket) return { chats: chatsIn(bytes, chats) }
  const markdown = found.find(({ key }) => key === "markdown")
  const value =
    markdown && parsed(bytes.subarray(markdown.valueStart, markdown.valueEnd), "markdown")
  const checked = check(ChatImport, { markdown: value })
  return "markdown" in checked ? checked : invalid("chats", "must be an array of chats")
}
