/** Bytes, or milliseconds to wait. */
export type Step = Buffer | string | number

/** What a provider in good order would answer. */
export interface RightReply {
  /** `events` and `lines` are streams. */
  form: "json" | "events" | "lines" | "text"
  type: string
  body: Buffer
}

/** A reply that no provider should send, made of the one that would be right. */
export interface BrokenReply {
  name: string
  /**
   * `fails`: nothing of it may be told as a success. `right`: odd, but it says what the right one says.
   * `any`: either, as long as an error is a clear one.
   */
  expected: "fails" | "right" | "any"
  /** Whether what is broken is HTTP itself, or what it carries. */
  level: "http" | "content"
  /** The forms of replies that can be broken like this; all unless told. */
  forms?: readonly RightReply["form"][]
  steps: (right: RightReply, about: About) => Iterable<Step>
  /** What becomes of the connection behind it; `open` unless told. */
  ends?: "open" | "close" | "reset"
  /** Ends only when whoever hears it loses patience. */
  isSilent?: boolean
  /** Of tens of megabytes. */
  isHeavy?: boolean
}

export interface About {
  /** An address of the provider that nobody may be led to. */
  trap: string
}

const crlf = "\r\n"

export const typeLine = ({ type }: RightReply): string => `content-type: ${type}`

/** A head with these lines, and the blank line behind them. */
export const head = (lines: readonly string[], statusLine = "HTTP/1.1 200 OK"): string =>
  [statusLine, ...lines, "", ""].join(crlf)

/** Head and body, framed by its length. */
export const whole = (
  body: Buffer | string,
  lines: readonly string[],
  statusLine?: string,
): Buffer => {
  const bytes = Buffer.from(body)
  const length = `content-length: ${bytes.length}`
  return Buffer.concat([Buffer.from(head([...lines, length], statusLine)), bytes])
}

export const chunk = (bytes: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(bytes).toString(16)}${crlf}`),
    Buffer.from(bytes),
    Buffer.from(crlf),
  ])

export const lastChunk = `0${crlf}${crlf}`

export const chunkedHead = (right: RightReply): string =>
  head([typeLine(right), "transfer-encoding: chunked"])

/** The same again and again: how much is never in memory at once. */
export const repeated = function* (piece: Buffer | string, times: number): Generator<Buffer> {
  const max = Math.max(1, Math.floor(65_536 / Buffer.byteLength(piece)))
  const many = Buffer.from(Buffer.from(piece).toString("latin1").repeat(max), "latin1")
  for (let left = times; left > 0; left -= max) {
    yield left >= max ? many : many.subarray(0, left * Buffer.byteLength(piece))
  }
}

/** In small pieces, a little apart. */
export const dribbled = function* (
  text: Buffer | string,
  { size = 1, pauseMs = 0 } = {},
): Generator<Step> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size)
    if (pauseMs > 0) yield pauseMs
  }
}
