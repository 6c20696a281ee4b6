import { listsToken, parseFields } from "./header-fields.ts"
import { MalformedHttpError } from "./malformed-response.ts"

/** The head of a reply, and what it says of the body's length and of the connection. */
export interface ResponseHead {
  status: number
  /** Names and values in turn, as they came. */
  rawHeaders: string[]
  length: number | null
  chunked: boolean
  /** Whether another request may follow on the connection. */
  persistent: boolean
  /** How long the other side says it keeps an idle connection, in seconds. */
  keepAlive: number | null
}

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [^\r\n]*)?$/
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

/** A list is refused, even one of equal lengths: what reads it further on may take another of them. */
const lengthOf = (value: string | null): number | null => {
  if (value === null) return null
  if (!/^\d{1,15}$/.test(value)) {
    throw new MalformedHttpError(`content-length is "${value.slice(0, 50)}"`)
  }
  return Number(value)
}

/** The only transfer coding there is for who asked for no other. */
const isChunked = (value: string | null): boolean => {
  if (value === null) return false
  if (value.toLowerCase() !== "chunked") {
    throw new MalformedHttpError(`transfer-encoding is "${value.slice(0, 50)}"`)
  }
  return true
}

const keptSeconds = (value: string | null): number | null => {
  const seconds = value === null ? undefined : /timeout=(\d{1,6})/i.exec(value)?.[1]
  return seconds === undefined ? null : Number(seconds)
}

const connectionOf = (rawHeaders: readonly string[]): string =>
  // llhttp takes the second name, which no standard knows, for the first.
  `${headerOf(rawHeaders, "connection") ?? ""},${headerOf(rawHeaders, "proxy-connection") ?? ""}`

/** How long a body is, as its head says. @throws {MalformedHttpError} where that could be read in two ways */
const framingOf = (
  status: number,
  rawHeaders: readonly string[],
): Pick<ResponseHead, "length" | "chunked"> => {
  const length = lengthOf(headerOf(rawHeaders, "content-length"))
  const chunked = isChunked(headerOf(rawHeaders, "transfer-encoding"))
  if (chunked && length !== null) {
    throw new MalformedHttpError("the response has both transfer-encoding and content-length")
  }
  if ((status < 200 || status === 204) && (chunked || (length ?? 0) > 0)) {
    throw new MalformedHttpError(`a ${status} response must not have a body, but declares one`)
  }
  return { length, chunked }
}

/** @param text from the status line to before the empty line. @throws {MalformedHttpError} */
export const parseResponseHead = (text: string): ResponseHead => {
  const firstEnd = text.indexOf("\r\n")
  const [, minor, code] = statusLine.exec(firstEnd < 0 ? text : text.slice(0, firstEnd)) ?? []
  if (code === undefined) throw new MalformedHttpError("the response is not HTTP")
  const status = Number(code)
  const rawHeaders = firstEnd < 0 ? [] : parseFields(text, firstEnd + 2)
  const connection = connectionOf(rawHeaders)
  const body = framingOf(status, rawHeaders)
  const isKept = minor === "1" || (listsToken(connection, "keep-alive") && !body.chunked)
  return {
    status,
    rawHeaders,
    ...body,
    persistent: isKept && !listsToken(connection, "close"),
    keepAlive: keptSeconds(headerOf(rawHeaders, "keep-alive")),
  }
}
