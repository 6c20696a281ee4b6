import type { OutgoingHttpHeaders } from "node:http"
import { formatHeaderField, tokenPattern } from "./header-fields.ts"

/** The path is sent unescaped; whitespace or control characters would end it early. */
const invalidPathCharacter = /[^\u0021-\u00ff]/

/** Set by the transport or not supported; the caller's values are dropped. */
const connectionFields = new Set([
  "host",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "expect",
  "upgrade",
])
const bodyMethods = new Set(["POST", "PUT", "PATCH"])

/** Whether a transport sets a header itself, or does not support it. @param name in lower case */
export const isTransportHeader = (name: string): boolean => connectionFields.has(name)

const formatFields = (headers: OutgoingHttpHeaders): string => {
  let lines = ""
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || isTransportHeader(name)) continue
    if (Array.isArray(value)) for (const item of value) lines += formatHeaderField(name, item)
    else lines += formatHeaderField(name, String(value))
  }
  return lines
}

const formatFraming = (method: string, length: number | null): string => {
  if (length === null) return "transfer-encoding: chunked\r\n"
  return length > 0 || bodyMethods.has(method) ? `content-length: ${length}\r\n` : ""
}

export interface RequestHead {
  method: string
  path: string
  /** Names in lower case. */
  headers: OutgoingHttpHeaders
  /** Length of the body in bytes; null for chunked transfer coding. */
  length: number | null
}

/**
 * Formats the head of an HTTP/1.1 request, to be encoded as Latin-1.
 * @throws {TypeError} for invalid characters, which would allow request splitting
 */
export const formatRequestHead = (
  host: string,
  { method, path, headers, length }: RequestHead,
): string => {
  if (!tokenPattern.test(method) || invalidPathCharacter.test(path)) {
    throw new TypeError("the method or the path cannot be sent")
  }
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${formatFields(headers)}${formatFraming(method, length)}\r\n`
}
