/** Node's internal HTTP parser, which has no public API. */
interface HttpParser {
  [event: number]: (...args: never[]) => number | undefined
  initialize(type: number, resource: object, maxHeaderSize: number, lenientFlags: number): void
  execute(bytes: Buffer): number | Error
  finish(): Error | undefined
}

interface HttpCommon {
  HTTPParser: {
    new (): HttpParser
    REQUEST: number
    RESPONSE: number
    kOnHeaders: number
    kOnHeadersComplete: number
    kOnBody: number
    kOnMessageComplete: number
    kLenientNone: number
  }
  /** Index: llhttp's method number. */
  methods: string[]
}

const { HTTPParser, methods } = process.getBuiltinModule(
  "node:_http_common",
) as unknown as HttpCommon

const maxHeaderSize = 64 * 1024

/** A message as parsed so far. */
export interface ReadMessage {
  method: string
  url: string
  status: number
  rawHeaders: string[]
  body: string
  isWhole: boolean
  /** Whether the connection can be reused for another message. */
  isKept: boolean
  isUpgrade: boolean
}

interface Options {
  /** Whether the message is a response to a HEAD request. */
  isBodiless?: boolean
}

/** Skips bodies as Node's client does; Node's server never skips one. */
const hasNoBody = (status: number): boolean => (status >= 100 && status < 200) || status === 304

type Kind = "request" | "reply"

/** One parser per kind, reinitialized for each use. */
const parserByKind = new Map<Kind, HttpParser>()

const parserOf = (kind: Kind): HttpParser => {
  const parser = parserByKind.get(kind) ?? new HTTPParser()
  parserByKind.set(kind, parser)
  const type = kind === "request" ? HTTPParser.REQUEST : HTTPParser.RESPONSE
  parser.initialize(type, {}, maxHeaderSize, HTTPParser.kLenientNone)
  return parser
}

/**
 * Parses with llhttp in strict mode, as Node does: the reference for the gateway's parsers. Only one
 * parser of each kind can be in use at a time.
 */
export const createLlhttp = (kind: Kind, { isBodiless = false }: Options = {}) => {
  const parser = parserOf(kind)
  const messages: ReadMessage[] = []
  let early: string[] = []
  let earlyUrl = ""
  let refusal: Error | undefined

  // llhttp delivers more than 32 headers in several parts, and trailers likewise; those are ignored.
  parser[HTTPParser.kOnHeaders] = (headers: string[], url: string) => {
    early.push(...headers)
    earlyUrl += url
    return undefined
  }
  parser[HTTPParser.kOnHeadersComplete] = (
    ...[, , headers, method, url, status, , isUpgrade, isKept]: [
      ...[number, number, string[] | undefined, number | undefined, string | undefined],
      ...[number | undefined, string | undefined, boolean, boolean],
    ]
  ) => {
    const code = status ?? 0
    messages.push({
      method: methods[method ?? -1] ?? "",
      url: earlyUrl + (url ?? ""),
      status: code,
      rawHeaders: [...early, ...(headers ?? [])],
      ...{ body: "", isWhole: false, isKept, isUpgrade },
    })
    early = []
    earlyUrl = ""
    return kind === "reply" && (isBodiless || hasNoBody(code)) ? 1 : 0
  }
  parser[HTTPParser.kOnBody] = (bytes: Buffer) => {
    const message = messages.at(-1)
    if (message) message.body += bytes.toString("latin1")
    return undefined
  }
  parser[HTTPParser.kOnMessageComplete] = () => {
    const message = messages.at(-1)
    if (message) message.isWhole = true
    early = []
    return undefined
  }

  return {
    messages: messages as readonly ReadMessage[],
    /** The parse error, if any. */
    refusal: (): Error | undefined => refusal,
    push: (bytes: Buffer): void => {
      // After an upgrade, the data is no longer HTTP and Node bypasses its parser.
      if (refusal || messages.at(-1)?.method === "CONNECT") return
      const taken = parser.execute(bytes)
      if (taken instanceof Error) refusal = taken
    },
    /** Signals the end of the connection. */
    finish: (): void => {
      if (!refusal) refusal = parser.finish()
    },
  }
}
