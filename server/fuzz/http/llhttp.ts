/** Node's own parser, which its `http` reads with; Node exports it to nobody and keeps it so. */
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
  /** By llhttp's number. */
  methods: string[]
}

const { HTTPParser, methods } = process.getBuiltinModule(
  "node:_http_common",
) as unknown as HttpCommon

const maxHeaderSize = 64 * 1024

/** What the parser read of one message. */
export interface ReadMessage {
  method: string
  url: string
  status: number
  rawHeaders: string[]
  body: string
  isWhole: boolean
  /** Whether another message may follow on the connection. */
  isKept: boolean
  isUpgrade: boolean
}

interface Options {
  /** Whether the request was one to HEAD. */
  isBodiless?: boolean
}

/** As Node's client skips bodies; its server skips none. */
const hasNoBody = (status: number): boolean => (status >= 100 && status < 200) || status === 304

type Kind = "request" | "reply"

/** One of each kind is enough, as it is made ready anew for each reading. */
const parserByKind = new Map<Kind, HttpParser>()

const parserOf = (kind: Kind): HttpParser => {
  const parser = parserByKind.get(kind) ?? new HTTPParser()
  parserByKind.set(kind, parser)
  const type = kind === "request" ? HTTPParser.REQUEST : HTTPParser.RESPONSE
  parser.initialize(type, {}, maxHeaderSize, HTTPParser.kLenientNone)
  return parser
}

/** Reads with llhttp in its strict mode, as Node does: the reading that ours is compared with. One of a kind at a time. */
export const createLlhttp = (kind: Kind, { isBodiless = false }: Options = {}) => {
  const parser = parserOf(kind)
  const messages: ReadMessage[] = []
  let early: string[] = []
  let earlyUrl = ""
  let refusal: Error | undefined

  // Heads of more than 32 fields come in several parts; so do trailers, which are left out.
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
    /** Why it went no further. */
    refusal: (): Error | undefined => refusal,
    push: (bytes: Buffer): void => {
      // What comes behind it is no HTTP, and Node gives its parser none of it.
      if (refusal || messages.at(-1)?.method === "CONNECT") return
      const taken = parser.execute(bytes)
      if (taken instanceof Error) refusal = taken
    },
    /** The connection ended. */
    finish: (): void => {
      if (!refusal) refusal = parser.finish()
    },
  }
}
