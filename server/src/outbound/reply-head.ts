import { MalformedReply } from "./malformed-reply.ts"
import { fieldName } from "./request-head.ts"

/** The head of a reply, and what it says of the body's length and of the connection. */
export interface ReplyHead {
  status: number
  /** Names and values in turn, as they came. */
  rawHeaders: string[]
  length: number | null
  /** The transfer codings, in order. */
  transfer: string | null
  /** Whether another request may follow on the connection. */
  persistent: boolean
  /** How long the other side says it keeps an idle connection, in seconds. */
  keepAlive: number | null
}

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [^\r\n]*)?$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const controlCharacters = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** Whether a comma-separated header names `token`. */
const names = (value: string, token: string): boolean =>
  value.split(",").some((part) => part.trim().toLowerCase() === token)

const fieldsOf = (lines: string, from: number): string[] => {
  const fields: string[] = []
  for (let start = from; start < lines.length; ) {
    const found = lines.indexOf("\r\n", start)
    const end = found < 0 ? lines.length : found
    const colon = lines.indexOf(":", start)
    const name = colon < 0 || colon > end ? "" : lines.slice(start, colon)
    const value = lines.slice(colon + 1, end).trim()
    if (!fieldName.test(name) || controlCharacters.test(value)) {
      throw new MalformedReply("a header of the reply is not valid")
    }
    fields.push(name, value)
    start = end + 2
  }
  return fields
}

/** All values of the header `name`, in lower case, joined; null where there is none. */
export const headerOf = (rawHeaders: readonly string[], name: string): string | null => {
  let value: string | null = null
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at] ?? ""
    if (field.length !== name.length || field.toLowerCase() !== name) continue
    value = value === null ? (rawHeaders[at + 1] ?? "") : `${value},${rawHeaders[at + 1]}`
  }
  return value
}

const lengthOf = (value: string | null): number | null => {
  if (value === null) return null
  const [length = "", ...others] = value.split(",")
  if (!/^\d{1,15}$/.test(length) || others.some((other) => other !== length)) {
    throw new MalformedReply(`content-length is "${value.slice(0, 50)}"`)
  }
  return Number(length)
}

const keptSeconds = (value: string | null): number | null => {
  const seconds = value === null ? undefined : /timeout=(\d{1,6})/i.exec(value)?.[1]
  return seconds === undefined ? null : Number(seconds)
}

/** @param text from the status line to before the empty line. @throws {MalformedReply} */
export const readHead = (text: string): ReplyHead => {
  const firstEnd = text.indexOf("\r\n")
  const [, minor, code] = statusLine.exec(firstEnd < 0 ? text : text.slice(0, firstEnd)) ?? []
  if (code === undefined) throw new MalformedReply("what came is no HTTP reply")
  const rawHeaders = firstEnd < 0 ? [] : fieldsOf(text, firstEnd + 2)
  const connection = headerOf(rawHeaders, "connection") ?? ""
  const length = lengthOf(headerOf(rawHeaders, "content-length"))
  const transfer = headerOf(rawHeaders, "transfer-encoding")
  if (transfer !== null && length !== null) {
    throw new MalformedReply("the reply has both a transfer-encoding and a content-length")
  }
  return {
    status: Number(code),
    rawHeaders,
    length,
    transfer,
    persistent: minor === "1" ? !names(connection, "close") : names(connection, "keep-alive"),
    keepAlive: keptSeconds(headerOf(rawHeaders, "keep-alive")),
  }
}
