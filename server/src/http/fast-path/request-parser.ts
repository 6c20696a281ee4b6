import type { IncomingHttpHeaders } from "node:http"

/** The head of a request that is as plain as almost all are. */
export interface PlainHead<T> {
  /** What was found under its method and target. */
  wanted: T
  method: string
  url: string
  headers: IncomingHttpHeaders
  /** Bytes of the body. */
  length: number
  /** Where the body begins. */
  end: number
}

const maxHead = 16 * 1024
const headEnd = Buffer.from("\r\n\r\n")
const protocol = " HTTP/1.1"
/** A field line, of ASCII alone (RFC 9112 §5). */
const fieldLine = /([!#$%&'*+\-.^_`|~\w]+):([\t\u0020-\u007e]*)\r\n/y
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i
const digits = /^\d{1,15}$/

/** What makes a request more than plain: another framing, another protocol, a wish to end. */
const unplain = new Set([
  ...["transfer-encoding", "expect", "upgrade", "trailer", "http2-settings", "proxy-connection"],
])

const maxCachedNames = 1000
const lowerByName = new Map<string, string>()

/** Clients send few names, over and over. */
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
    // What a name means that comes twice differs from name to name.
    if (headers[name] !== undefined || unplain.has(name)) return null
    headers[name] = (found[2] ?? "").trim()
  }
  return headers
}

/** A name or an address, and perhaps a port; whether anything else is valid, others know. */
export const isPlainHost = (host: string | undefined): boolean =>
  host !== undefined && plainHost.test(host)

const keepsOn = ({ connection }: IncomingHttpHeaders): boolean =>
  connection === undefined || connection.toLowerCase() === "keep-alive"

/**
 * Reads a head that stands whole at the beginning of `bytes`, if it is a plain one: HTTP/1.1, each
 * name once, a body of known length, nothing that changes the connection (RFC 9112).
 * @param find told method and target, a space between them, before the rest is read
 * @returns null for anything else, which is left to a parser that knows all of HTTP
 */
export const readPlainHead = <T>(
  bytes: Buffer,
  find: (target: string) => T | undefined,
): PlainHead<T> | null => {
  const last = bytes.indexOf(headEnd)
  if (last < 0 || last > maxHead) return null
  const text = bytes.toString("latin1", 0, last + 2)
  const firstEnd = text.indexOf("\r\n")
  const target = text.slice(0, firstEnd - protocol.length)
  const wanted = text.startsWith(protocol, target.length) ? find(target) : undefined
  if (wanted === undefined) return null
  const headers = fieldsOf(text, firstEnd + 2)
  if (!headers || !isPlainHost(headers.host) || !keepsOn(headers)) return null
  const length = headers["content-length"]
  if (length === undefined || !digits.test(length)) return null
  const space = target.indexOf(" ")
  return {
    wanted,
    method: target.slice(0, space),
    url: target.slice(space + 1),
    headers,
    length: Number(length),
    end: last + headEnd.length,
  }
}
