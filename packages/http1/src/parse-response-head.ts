import { headerOf, includesToken, parseFieldLines } from "./header-fields.ts"
import { MalformedHttpError } from "./malformed-http-error.ts"

export interface ResponseHead {
  status: number
  /** Alternating names and values, in the order received. */
  rawHeaders: string[]
  /** From `content-length`; null if absent. */
  contentLength: number | null
  isChunked: boolean
  /** Whether the connection stays open for another request. */
  isPersistent: boolean
  /** The server's idle timeout from `keep-alive`, in seconds; null if absent. */
  keepAliveSeconds: number | null
}

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [^\r\n]*)?$/

/** Rejects lists, even of equal lengths: parsers disagree on which value applies. */
const parseContentLength = (value: string | null): number | null => {
  if (value === null) return null
  if (!/^\d{1,15}$/.test(value)) {
    throw new MalformedHttpError(`content-length is "${value.slice(0, 50)}"`)
  }
  return Number(value)
}

/** Accepts only `chunked`: without a `TE` header the server may send no other coding. */
const parseTransferEncoding = (value: string | null): boolean => {
  if (value === null) return false
  if (value.toLowerCase() !== "chunked") {
    throw new MalformedHttpError(`transfer-encoding is "${value.slice(0, 50)}"`)
  }
  return true
}

const parseKeepAliveTimeout = (value: string | null): number | null => {
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
): Pick<ResponseHead, "contentLength" | "isChunked"> => {
  const contentLength = parseContentLength(headerOf(rawHeaders, "content-length"))
  const isChunked = parseTransferEncoding(headerOf(rawHeaders, "transfer-encoding"))
  if (isChunked && contentLength !== null) {
    throw new MalformedHttpError("the response has both transfer-encoding and content-length")
  }
  if ((status < 200 || status === 204) && (isChunked || (contentLength ?? 0) > 0)) {
    throw new MalformedHttpError(`a ${status} response must not have a body, but declares one`)
  }
  return { contentLength, isChunked }
}

/** @param text status line and fields, without the empty line. @throws {MalformedHttpError} */
export const parseResponseHead = (text: string): ResponseHead => {
  const statusLineEnd = text.indexOf("\r\n")
  const [, minor, code] =
    statusLine.exec(statusLineEnd < 0 ? text : text.slice(0, statusLineEnd)) ?? []
  if (code === undefined) throw new MalformedHttpError("the response is not HTTP")
  const status = Number(code)
  const rawHeaders = statusLineEnd < 0 ? [] : parseFieldLines(text, statusLineEnd + 2)
  const connection = connectionOf(rawHeaders)
  const body = framingOf(status, rawHeaders)
  const isPersistentByDefault =
    minor === "1" || (includesToken(connection, "keep-alive") && !body.isChunked)
  return {
    status,
    rawHeaders,
    ...body,
    isPersistent: isPersistentByDefault && !includesToken(connection, "close"),
    keepAliveSeconds: parseKeepAliveTimeout(headerOf(rawHeaders, "keep-alive")),
  }
}
