import type { IncomingHttpHeaders } from "node:http"

/** Parsed head of a simple request, which most requests are. */
export interface ParsedRequestHead<T> {
  /** Result of `findRoute` for its method and target. */
  route: T
  method: string
  url: string
  headers: IncomingHttpHeaders
  /** Length of the body in bytes. */
  bodyLength: number
  /** Offset of the body. */
  bodyOffset: number
}

const maxHeadBytes = 16 * 1024
const headTerminator = Buffer.from("\r\n\r\n")
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
const lowerCaseByName = new Map<string, string>()

/** Caches lower-cased names: clients send the same few. */
const toLowerCase = (name: string): string => {
  const known = lowerCaseByName.get(name)
  if (known !== undefined) return known
  const lowerCase = name.toLowerCase()
  if (lowerCaseByName.size < maxCachedNames) lowerCaseByName.set(name, lowerCase)
  return lowerCase
}

const parseHeaderFields = (text: string, from: number): IncomingHttpHeaders | null => {
  const headers: IncomingHttpHeaders = Object.create(null)
  fieldLine.lastIndex = from
  while (fieldLine.lastIndex < text.length) {
    const match = fieldLine.exec(text)
    if (!match) return null
    const name = toLowerCase(match[1] ?? "")
    // The meaning of a repeated header depends on its name; Node's parser knows the rules.
    if (headers[name] !== undefined || unsupportedHeaders.has(name)) return null
    headers[name] = (match[2] ?? "").trim()
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
 * @param findRoute called with "METHOD target" before the headers are parsed
 * @returns null for anything else, which is left to Node's parser
 */
export const parseRequestHead = <T>(
  bytes: Buffer,
  findRoute: (target: string) => T | undefined,
): ParsedRequestHead<T> | null => {
  const headEnd = bytes.indexOf(headTerminator)
  if (headEnd < 0 || headEnd > maxHeadBytes) return null
  const text = bytes.toString("latin1", 0, headEnd + 2)
  const requestLineEnd = text.indexOf("\r\n")
  const target = text.slice(0, requestLineEnd - protocol.length)
  const route = text.startsWith(protocol, target.length) ? findRoute(target) : undefined
  if (route === undefined) return null
  const headers = parseHeaderFields(text, requestLineEnd + 2)
  if (!headers || !isPlainHost(headers.host) || !isKeepAlive(headers)) return null
  const length = headers["content-length"]
  if (length === undefined || !digits.test(length)) return null
  const space = target.indexOf(" ")
  return {
    route,
    method: target.slice(0, space),
    url: target.slice(space + 1),
    headers,
    bodyLength: Number(length),
    bodyOffset: headEnd + headTerminator.length,
  }
}
