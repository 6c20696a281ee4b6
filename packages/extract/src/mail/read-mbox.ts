import type { Block } from "../blocks.ts"
import type { DocumentSource, ReadingContext } from "../reading-context.ts"
import { readEml } from "./read-eml.ts"

const maxMessages = 10_000
const separator = Buffer.from("\nFrom ")
const maxHeaderName = 100

const isBlankLineBefore = (bytes: Buffer, lineStart: number): boolean =>
  /\n\r?\n$/.test(bytes.toString("latin1", Math.max(0, lineStart - 3), lineStart))

/**
 * Tells whether a line that begins with "From " begins a message: it stands after a blank line or
 * states a time, and headers follow. Not every program quotes such lines in texts.
 */
const beginsMessage = (bytes: Buffer, lineStart: number): boolean => {
  const lineEnd = bytes.indexOf("\n", lineStart)
  if (lineEnd < 0) return false
  const hasTime = /\d:\d\d/.test(bytes.toString("latin1", lineStart, lineEnd))
  const isAfterBlank = isBlankLineBefore(bytes, lineStart)
  const next = bytes.toString("latin1", lineEnd + 1, lineEnd + 1 + maxHeaderName)
  if (/^\r?\n/.test(next)) return hasTime && isAfterBlank
  return /^>?[!-9;-~]+:/.test(next) && (hasTime || isAfterBlank)
}

/** Offsets of the "From " lines. */
const findMessages = (bytes: Buffer): number[] => {
  const starts = [0]
  for (let at = bytes.indexOf(separator); at >= 0; at = bytes.indexOf(separator, at + 1))
    if (beginsMessage(bytes, at + 1)) starts.push(at + 1)
  return starts
}

/** The message without its "From " line and the quotation of such lines in its text. */
const unquote = (message: Buffer): Buffer => {
  const body = message.subarray(message.indexOf("\n") + 1)
  if (!body.includes(">From ")) return body
  return Buffer.from(body.toString("latin1").replace(/^>(>*From )/gm, "$1"), "latin1")
}

const countCharacters = (blocks: readonly Block[]): number =>
  blocks.reduce((count, { text }) => count + text.length + 2, 0)

/** Messages of a mailbox file (RFC 4155), each under its subject. */
export const readMbox = async (
  { bytes, encoding }: Pick<DocumentSource, "bytes" | "encoding">,
  context: ReadingContext,
): Promise<Block[]> => {
  const tryRead = async (message: Buffer): Promise<Block[] | null> => {
    try {
      return await readEml({ bytes: message, encoding }, context)
    } catch {
      return null
    }
  }

  const starts = findMessages(bytes)
  const blocks: Block[] = []
  let read = 0
  let remaining = context.limits.characters
  for (const [index, start] of starts.slice(0, maxMessages).entries()) {
    const message = await tryRead(unquote(bytes.subarray(start, starts[index + 1])))
    if (message === null) continue
    remaining -= countCharacters(message)
    if (remaining < 0) break
    read++
    for (const block of message) blocks.push(block)
  }
  const total = starts.length
  if (read < total) context.warn({ id: "document_messages_skipped", values: { read, total } })
  return blocks
}
