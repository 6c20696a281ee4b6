import { ChunkedDecoder } from "./chunked-decoder.ts"
import { MalformedHttpError } from "./malformed-http-error.ts"
import { parseResponseHead, type ResponseHead } from "./response-head.ts"

export interface ParserEvents {
  /** `rawHeaders` alternates names and values, in the order received. */
  head(status: number, rawHeaders: string[]): void
  /** `chunk` is a copy that the receiver may keep. */
  data(chunk: Buffer): void
  end(): void
}

const maxHead = 64 * 1024
const headEnd = Buffer.from("\r\n\r\n")
const protocol = "HTTP/1."

type State =
  | "head"
  /** The length is known from `content-length`. */
  | "counted"
  | "chunked"
  /** The body ends when the connection closes. */
  | "open"
  | "done"

/**
 * Incremental parser for the responses on one HTTP/1.1 connection (RFC 9112); input may be split at
 * any byte. Rejects whatever other parsers could interpret differently (response smuggling).
 */
export class ResponseParser {
  readonly #parts: ParserEvents
  #state: State = "done"
  #bodiless = false
  #held: Buffer | null = null
  #left = 0
  #chunks: ChunkedDecoder | null = null
  #persistent = false
  /** The server's idle timeout from `keep-alive`, in seconds; null if absent. */
  keepAlive: number | null = null

  constructor(parts: ParserEvents) {
    this.#parts = parts
  }

  /** Prepares for the next response. @param bodiless whether it has no body (HEAD) */
  expect(bodiless: boolean): void {
    this.#state = "head"
    this.#bodiless = bodiless
    this.#held = null
    this.#persistent = false
  }

  /** Whether the connection can take another request. */
  get reusable(): boolean {
    return this.#state === "done" && this.#persistent
  }

  /**
   * Parses received bytes. Copies what it keeps, so `read` may be overwritten afterwards.
   * @throws {MalformedHttpError} also for bytes received when no response is expected
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

  /** Handles the end of the connection. @returns whether the response is complete */
  finish(): boolean {
    if (this.#state === "open") this.#end()
    return this.#state === "done"
  }

  /** @returns -1 if the head is incomplete; its bytes are kept for the next `push` */
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
    // Interim responses (1xx) are skipped; a final one has to follow.
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

  /** Reads a body without transfer coding. @returns the offset at which it ends */
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
