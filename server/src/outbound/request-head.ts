import type { OutgoingHttpHeaders } from "node:http"

/** What a header may be called (RFC 9110 §5.6.2). */
export const fieldName = /^[!#$%&'*+\-.^_`|~\w]+$/
const unsendable = /[^\t\u0020-\u007e\u0080-\u00ff]/
/** A path is sent as it is, so nothing in it may end it. */
const notInPath = /[^\u0021-\u00ff]/

/** Said by the connection itself. */
const ownFields = new Set([
  "host",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "expect",
  "upgrade",
])
const bodyMethods = new Set(["POST", "PUT", "PATCH"])

/** A header as it is sent, each character a byte. @throws {TypeError} for what is none */
export const formatField = (name: string, value: string): string => {
  if (!fieldName.test(name) || unsendable.test(value)) {
    throw new TypeError(`the header "${name.slice(0, 50)}" cannot be sent`)
  }
  return `${name}: ${value}\r\n`
}

const fields = (headers: OutgoingHttpHeaders): string => {
  let lines = ""
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || ownFields.has(name)) continue
    if (Array.isArray(value)) for (const each of value) lines += formatField(name, each)
    else lines += formatField(name, String(value))
  }
  return lines
}

const framing = (method: string, length: number | null): string => {
  if (length === null) return "transfer-encoding: chunked\r\n"
  return length > 0 || bodyMethods.has(method) ? `content-length: ${length}\r\n` : ""
}

export interface RequestLine {
  method: string
  path: string
  /** Names in lower case. */
  headers: OutgoingHttpHeaders
  /** Bytes of the body; null where it is sent in chunks. */
  length: number | null
}

/**
 * The head of an HTTP/1.1 request, each character a byte.
 * @throws {TypeError} for what would not be one request, and no more than one
 */
export const formatRequestHead = (
  host: string,
  { method, path, headers, length }: RequestLine,
): string => {
  if (!fieldName.test(method) || notInPath.test(path)) {
    throw new TypeError("the method or the path cannot be sent")
  }
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${fields(headers)}${framing(method, length)}\r\n`
}
