import { fail } from "../errors.ts"
import type { ScannedMember } from "./json-scanner.ts"

/** A member of a JSON object and its location, as byte offsets. */
export interface JsonMember extends Pick<ScannedMember, "start" | "valueStart" | "valueEnd"> {
  key: string
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

const nearBytes = 64

export const skipSpace = (bytes: Buffer, from: number): number => {
  let at = from
  while ((bytes[at] ?? 0x21) <= 0x20) at++
  return at
}

/** One past the closing quote of the string that opens at `from`. */
const skipString = (bytes: Buffer, from: number): number => {
  let at = from + 1
  for (;;) {
    // For short strings, most of them, calling `indexOf` costs more than this loop.
    const near = Math.min(bytes.length, at + nearBytes)
    while (at < near && bytes[at] !== quote) at++
    if (bytes[at] !== quote) at = bytes.indexOf(quote, at)
    if (at < 0) return bytes.length
    let escapes = 0
    while (bytes[at - 1 - escapes] === backslash) escapes++
    at++
    if (escapes % 2 === 0) return at
  }
}

/** One past the brace or bracket that closes the one at `from`. */
export const endOfNested = (bytes: Buffer, from: number): number => {
  let depth = 0
  let at = from
  while (at < bytes.length) {
    const byte = bytes[at]
    if (byte === quote) {
      at = skipString(bytes, at)
      continue
    }
    at++
    if (byte === openBrace || byte === openBracket) depth++
    if (byte === closeBrace || byte === closeBracket) depth--
    if (depth === 0) return at
  }
  return at
}

/** Whether objects and arrays nest at most `max` levels deep; cheap compared with parsing. */
export const isNestingWithin = (bytes: Buffer, max: number): boolean => {
  if (bytes.length <= max) return true
  let depth = 0
  let at = 0
  while (at < bytes.length) {
    const byte = bytes[at]
    if (byte === quote) {
      at = skipString(bytes, at)
      continue
    }
    at++
    if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) depth--
    if (depth > max) return false
  }
  return true
}

const skipScalar = (bytes: Buffer, from: number): number => {
  let at = from
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    if (byte <= 0x20 || byte === comma || byte === closeBrace || byte === closeBracket) return at
    at++
  }
  return at
}

const skipValue = (bytes: Buffer, from: number): number => {
  const byte = bytes[from]
  if (byte === quote) return skipString(bytes, from)
  return byte === openBrace || byte === openBracket
    ? endOfNested(bytes, from)
    : skipScalar(bytes, from)
}

/**
 * Decodes the key whose opening quote is at `start`.
 * @param end one past its closing quote
 */
export const keyAt = (bytes: Buffer, start: number, end: number): string => {
  const text = bytes.toString("utf8", start + 1, end - 1)
  return text.includes("\\") ? String(JSON.parse(`"${text}"`)) : text
}

/**
 * Locates the members of a JSON object, in order, so that one can be replaced while all other bytes
 * stay as sent. `bytes` must be a valid JSON object.
 * @param max stops after this many members
 */
export const readMembers = (bytes: Buffer, max = Number.POSITIVE_INFINITY): JsonMember[] => {
  const found: JsonMember[] = []
  let at = skipSpace(bytes, skipSpace(bytes, 0) + 1)
  while (bytes[at] === quote && found.length < max) {
    const start = at
    const keyEnd = skipString(bytes, at)
    const key = keyAt(bytes, start, keyEnd)
    const valueStart = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1)
    const valueEnd = skipValue(bytes, valueStart)
    found.push({ key, start, valueStart, valueEnd })
    at = skipSpace(bytes, valueEnd)
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1)
  }
  return found
}

/** Byte ranges of the elements of the array that opens at `from`; `end` is exclusive. */
export function* elementRanges(
  bytes: Buffer,
  from: number,
): Generator<{ start: number; end: number }> {
  let start = skipSpace(bytes, from + 1)
  while (start < bytes.length && bytes[start] !== closeBracket) {
    const end = skipValue(bytes, start)
    yield { start, end }
    start = skipSpace(bytes, end)
    if (bytes[start] === comma) start = skipSpace(bytes, start + 1)
  }
}

/**
 * Parsers differ on which of two duplicate keys counts, so the upstream could read a value other
 * than the one checked here.
 * @throws {Failure} `duplicate_parameter` if a key occurs twice, ignoring case
 */
export const rejectDuplicateMembers = (found: readonly JsonMember[]): void => {
  const seen = new Set<string>()
  for (const { key } of found) {
    const folded = key.toLowerCase()
    if (seen.has(folded)) {
      fail("duplicate_parameter", `The field "${key}" appears more than once. Send it once.`, {
        param: key,
      })
    }
    seen.add(folded)
  }
}

/** @returns the object's bytes without the member `key` */
export const removeMember = (bytes: Buffer, found: readonly JsonMember[], key: string): Buffer => {
  const index = found.findIndex((member) => member.key === key)
  const member = found[index]
  if (!member) return bytes
  const before = found[index - 1]
  const after = found[index + 1]
  const from = after || !before ? member.start : before.valueEnd
  const to = after ? after.start : member.valueEnd
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
}

/** Replaces the bytes from `start` to `end` (exclusive) with `text`. */
export interface ByteEdit {
  start: number
  end: number
  text: string
}

const memberEdits = (
  bytes: Buffer,
  found: readonly JsonMember[],
  changes: ReadonlyMap<string, string>,
): ByteEdit[] => {
  const edits: ByteEdit[] = []
  const kept = new Set<string>()
  for (const { key, valueStart, valueEnd } of found) {
    const text = changes.get(key)
    if (text === undefined) continue
    kept.add(key)
    edits.push({ start: valueStart, end: valueEnd, text })
  }
  const added: string[] = []
  for (const [key, value] of changes)
    if (!kept.has(key)) added.push(`${JSON.stringify(key)}:${value}`)
  if (added.length === 0) return edits
  const open = bytes.indexOf(openBrace) + 1
  edits.unshift({ start: open, end: open, text: added.join(",") + (found.length > 0 ? "," : "") })
  return edits
}

/**
 * Sets members of an object; all other bytes stay as sent.
 * @param changes JSON text by key; new keys are inserted first
 * @param inside edits within members that `changes` does not set
 */
export const spliceMembers = (
  bytes: Buffer,
  found: readonly JsonMember[],
  changes: ReadonlyMap<string, string>,
  inside: readonly ByteEdit[] = [],
): Buffer<ArrayBuffer> => {
  const edits = [...memberEdits(bytes, found, changes), ...inside]
  const parts: Buffer[] = []
  let at = 0
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
    parts.push(bytes.subarray(at, start), Buffer.from(text))
    at = end
  }
  parts.push(bytes.subarray(at))
  return Buffer.concat(parts)
}
