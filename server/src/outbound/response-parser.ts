import { ChunkedDecoder } from "./chunked-decoder.ts"
import { MalformedHttpError } from "./malformed-response.ts"
import { parseResponseHead, type ResponseHead } from "./response-head.ts"

/** What a reply consists of, as it comes. */
export interface ParserEvents {
  /** `rawHeaders` alternates names and values, as they came. */
  head(status: number, rawHeaders: string[]): void
  /** The bytes are the receiver's own. */
  data(chunk: Buffer): void
  end(): void
}

const maxHead = 64 * 1024
const headEnd = Buffer.from("\r\n\r\n")
const protocol = "HTTP/1."

type State =
  | "head"
  /** So many bytes are still to come. */
  | "counted"
  | "chunked"
  /** The body ends with the connection. */
  | "open"
  | "done"

/**
 * Reads replies of one HTTP/1.1 connection, one after another, from bytes cut anywhere (RFC 9112).
 * Strict where leniency would let two readers see different replies.
 */
export class ResponseParser {
  readonly #parts: ParserEvents
  #state: State = "done"
  #bodiless = false
  #held: Buffer | null = null
  #left = 0
  #chunks: ChunkedDecoder | null = null
  #persistent = false
  /** How long the other side says it keeps an idle connection, in seconds. */
  keepAlive: number | null = null

  constructor(parts: ParserEvents) {
    this.#parts = parts
  }

  /** Makes ready for the reply to a request. @param bodiless for one to HEAD */
  expect(bodiless: boolean): void {
    this.#state = "head"
    this.#bodiless = bodiless
    this.#held = null
    this.#persistent = false
  }

  /** Whether another request may follow on the connection. */
  get reusable(): boolean {
    return this.#state === "done" && this.#persistent
  }

  /**
   * Reads what came; `read` may be written anew afterwards.
   * @throws {MalformedHttpError} also for bytes that no reply is expected of
   */
  push(read: Buffer): void {
    const bytes = this.#held ? Buffer.concat([this.#held, read]) : read
    this.#held = null
    let at = 0
    while (this.#state === "head") {
      const end = this.#headEnd(bytes, at)
      if (end < 0) return
      this.#takeHead(parseResponseHead(bytes.toString("latin1", at, end)))
      at = end + headEnd.length
    }
    if (at < bytes.length) this.#body(bytes, at)
  }

  /** The connection ended. @returns whether that was the end of the reply too */
  finish(): boolean {
    if (this.#state === "open") this.#end()
    return this.#state === "done"
  }

  /** @returns -1 while the head is not whole */
  #headEnd(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(headEnd, from)
    if ((end < 0 ? bytes.length : end) - from > maxHead) {
      throw new MalformedHttpError("the response head is too long")
    }
    if (end >= 0) return end
    const start = bytes.toString("latin1", from, from + protocol.length)
    if (!protocol.startsWith(start)) throw new MalformedHttpError("the response is not HTTP")
    this.#held = Buffer.from(bytes.subarray(from))
    return -1
  }

  #takeHead(head: ResponseHead): void {
    const { status, rawHeaders } = head
    if (status === 101)
      throw new MalformedHttpError("the server switched protocols without being asked")
    // Interim replies say nothing of the one that follows, but that there is one.
    if (status < 200 && !head.persistent)
      throw new MalformedHttpError("an interim response was not followed by a final one")
    if (status < 200) return
    this.keepAlive = head.keepAlive
    const hasNone = this.#bodiless || status === 204 || status === 304 || head.length === 0
    this.#state = hasNone ? "done" : this.#framed(head)
    this.#persistent = head.persistent && this.#state !== "open"
    this.#parts.head(status, rawHeaders)
    if (hasNone) this.#parts.end()
  }

  #framed({ length, chunked }: ResponseHead): State {
    if (length !== null) {
      this.#left = length
      return "counted"
    }
    if (!chunked) return "open"
    this.#chunks = new ChunkedDecoder()
    return "chunked"
  }

  #body(bytes: Buffer, from: number): void {
    const to = this.#chunks ? this.#unchunk(this.#chunks, bytes, from) : this.#plain(bytes, from)
    if (to < bytes.length) throw new MalformedHttpError("data followed the end of the response")
  }

  #unchunk(chunks: ChunkedDecoder, bytes: Buffer, from: number): number {
    const payload = chunks.push(bytes, from)
    if (payload.length > 0) this.#parts.data(payload)
    if (chunks.done) this.#end()
    return chunks.at
  }

  /** A body that stands as it is. @returns where it ends */
  #plain(bytes: Buffer, from: number): number {
    if (this.#state === "done") return from
    const counted = this.#state === "counted"
    const to = counted ? Math.min(bytes.length, from + this.#left) : bytes.length
    const chunk = Buffer.allocUnsafe(to - from)
    bytes.copy(chunk, 0, from, to)
    this.#left -= chunk.length
    this.#parts.data(chunk)
    if (counted && this.#left === 0) this.#end()
    return to
  }

  #end(): void {
    this.#state = "done"
    this.#chunks = null
    this.#parts.end()
  }
}
