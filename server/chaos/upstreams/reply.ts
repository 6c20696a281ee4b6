/** Bytes to send, or milliseconds to wait. */
export type Step = Buffer | string | number

/** The reply of a provider that works correctly. */
export interface RightReply {
  /** `events` and `lines` are streams. */
  form: "json" | "events" | "lines" | "text"
  type: string
  body: Buffer
}

/** A faulty provider reply, derived from the valid one. */
export interface BrokenReply {
  name: string
  /**
   * `fails`: must not be reported as a success. `right`: unusual, but must be read like the valid
   * reply. `any`: either, as long as an error has a clear message.
   */
  expected: "fails" | "right" | "any"
  /** Whether the fault is in the HTTP framing or in the content. */
  level: "http" | "content"
  /** Forms of replies to which this fault applies; all by default. */
  forms?: readonly RightReply["form"][]
  steps: (right: RightReply, about: About) => Iterable<Step>
  /** What happens to the connection after the reply; `open` by default. */
  ends?: "open" | "close" | "reset"
  /** Ends only when the consumer times out. */
  isSilent?: boolean
  /** Tens of megabytes in size. */
  isHeavy?: boolean
}

export interface About {
  /** A URL that the gateway must never request, not even by redirect. */
  trap: string
}

const crlf = "\r\n"

export const typeLine = ({ type }: RightReply): string => `content-type: ${type}`

/** Status line, header lines and the blank line after them. */
export const head = (lines: readonly string[], statusLine = "HTTP/1.1 200 OK"): string =>
  [statusLine, ...lines, "", ""].join(crlf)

/** A complete reply with a Content-Length. */
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

/** Repeats a piece without ever holding the whole in memory. */
export const repeated = function* (piece: Buffer | string, times: number): Generator<Buffer> {
  const max = Math.max(1, Math.floor(65_536 / Buffer.byteLength(piece)))
  const many = Buffer.from(Buffer.from(piece).toString("latin1").repeat(max), "latin1")
  for (let left = times; left > 0; left -= max) {
    yield left >= max ? many : many.subarray(0, left * Buffer.byteLength(piece))
  }
}

/** Splits bytes into small pieces with a pause after each. */
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
