import { listsToken, parseFields } from "./header-fields.ts"
import { MalformedHttpError } from "./malformed-http-error.ts"

/** A parsed response head. */
export interface ResponseHead {
  status: number
  /** Alternating names and values, in the order received. */
  rawHeaders: string[]
  /** From `content-length`; null if absent. */
  length: number | null
  chunked: boolean
  /** Whether the connection stays open for another request. */
  persistent: boolean
  /** The server's idle timeout from `keep-alive`, in seconds; null if absent. */
  keepAlive: number | null
}

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [^\r\n]*)?$/

/** All values of the header, joined by commas; null if absent. @param name in lower case */
export const headerOf = (rawHeaders: readonly string[], name: string): string | null => {
  let value: string | null = null
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at] ?? ""
    if (field.length !== name.length || field.toLowerCase() !== name) continue
    value = value === null ? (rawHeaders[at + 1] ?? "") : `${value},${rawHeaders[at + 1]}`
  }
  return value
}

/** Rejects lists, even of equal lengths: parsers disagree on which value applies. */
const lengthOf = (value: string | null): number | null => {
  if (value === null) return null
  if (!/^\d{1,15}$/.test(value)) {
    throw new MalformedHttpError(`content-length is "${value.slice(0, 50)}"`)
  }
  return Number(value)
}

/** Accepts only `chunked`: without a `TE` header the server may send no other coding. */
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
  // llhttp treats the nonstandard `proxy-connection` like `connection`.
  `${headerOf(rawHeaders, "connection") ?? ""},${headerOf(rawHeaders, "proxy-connection") ?? ""}`

/** The declared framing of the body. @throws {MalformedHttpError} if it is ambiguous */
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

/** @param text status line and fields, without the empty line. @throws {MalformedHttpError} */
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
