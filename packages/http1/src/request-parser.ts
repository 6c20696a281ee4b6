import type { IncomingHttpHeaders } from "node:http"

/** Parsed head of a simple request, which most requests are. */
export interface ParsedRequestHead<T> {
  /** Result of `find` for its method and target. */
  route: T
  method: string
  url: string
  headers: IncomingHttpHeaders
  /** Length of the body in bytes. */
  length: number
  /** Offset of the body. */
  end: number
}

const maxHead = 16 * 1024
const headEnd = Buffer.from("\r\n\r\n")
const protocol = " HTTP/1.1"
/** An ASCII-only field line (RFC 9112 §5). */
const fieldLine = /([!#$%&'*+\-.^_`|~\w]+):([\t\u0020-\u007e]*)\r\n/y
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i
const digits = /^\d{1,15}$/

/** Headers that change framing, protocol or connection handling; Node's parser takes these. */
const unsupportedHeaders = new Set([
  ...["transfer-encoding", "expect", "upgrade", "trailer", "http2-settings", "proxy-connection"],
])

const maxCachedNames = 1000
const lowerByName = new Map<string, string>()

/** Caches lower-cased names: clients send the same few. */
const lower = (name: string): string => {
  const known = lowerByName.get(name)
  if (known !== undefined) return known
  const made = name.toLowerCase()
  if (lowerByName.size < maxCachedNames) lowerByName.set(name, made)
  return made
}

const fieldsOf = (text: string, from: number): IncomingHttpHeaders | null => {
  const headers: IncomingHttpHeaders = Object.create(null)
  fieldLine.lastIndex = from
  while (fieldLine.lastIndex < text.length) {
    const found = fieldLine.exec(text)
    if (!found) return null
    const name = lower(found[1] ?? "")
    // The meaning of a repeated header depends on its name; Node's parser knows the rules.
    if (headers[name] !== undefined || unsupportedHeaders.has(name)) return null
    headers[name] = (found[2] ?? "").trim()
  }
  return headers
}

/** Whether a host is a plain name or address with an optional port; others may still be valid. */
export const isPlainHost = (host: string | undefined): boolean =>
  host !== undefined && plainHost.test(host)

const isKeepAlive = ({ connection }: IncomingHttpHeaders): boolean =>
  connection === undefined || connection.toLowerCase() === "keep-alive"

/**
 * Parses a complete head at the start of `bytes` if it is simple: HTTP/1.1, no repeated headers, a
 * body of known length, nothing that changes the connection (RFC 9112).
 * @param find called with "METHOD target" before the headers are parsed
 * @returns null for anything else, which is left to Node's parser
 */
export const parseRequestHead = <T>(
  bytes: Buffer,
  find: (target: string) => T | undefined,
): ParsedRequestHead<T> | null => {
  const last = bytes.indexOf(headEnd)
  if (last < 0 || last > maxHead) return null
  const text = bytes.toString("latin1", 0, last + 2)
  const firstEnd = text.indexOf("\r\n")
  const target = text.slice(0, firstEnd - protocol.length)
  const route = text.startsWith(protocol, target.length) ? find(target) : undefined
  if (route === undefined) return null
  const headers = fieldsOf(text, firstEnd + 2)
  if (!headers || !isPlainHost(headers.host) || !isKeepAlive(headers)) return null
  const length = headers["content-length"]
  if (length === undefined || !digits.test(length)) return null
  const space = target.indexOf(" ")
  return {
    route,
    method: target.slice(0, space),
    url: target.slice(space + 1),
    headers,
    length: Number(length),
    end: last + headEnd.length,
  }
}
