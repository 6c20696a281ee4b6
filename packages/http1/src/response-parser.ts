import { ChunkedDecoder } from "./chunked-decoder.ts"
import { MalformedHttpError } from "./malformed-http-error.ts"
import { parseResponseHead, type ResponseHead } from "./parse-response-head.ts"

export interface ResponseParserEvents {
  /** `rawHeaders` alternates names and values, in the order received. */
  onHead(status: number, rawHeaders: string[]): void
  /** `chunk` is a copy that the receiver may keep. */
  onData(chunk: Buffer): void
  onEnd(): void
}

const maxHeadBytes = 64 * 1024
const headTerminator = Buffer.from("\r\n\r\n")
const protocol = "HTTP/1."

type State =
  | "head"
  /** The length is known from `content-length`. */
  | "fixed-length"
  | "chunked"
  /** The body ends when the connection closes. */
  | "until-close"
  | "done"

/**
 * Incremental parser for the responses on one HTTP/1.1 connection (RFC 9112); input may be split at
 * any byte. Rejects whatever other parsers could interpret differently (response smuggling).
 */
export class ResponseParser {
  readonly #events: ResponseParserEvents
  #state: State = "done"
  #hasNoBody = false
  #partialHead: Buffer | null = null
  #remaining = 0
  #chunkedDecoder: ChunkedDecoder | null = null
  #isPersistent = false
  /** The server's idle timeout from `keep-alive`, in seconds; null if absent. */
  keepAliveSeconds: number | null = null

  constructor(events: ResponseParserEvents) {
    this.#events = events
  }

  /** Prepares for the next response. @param hasNoBody whether it has no body (HEAD) */
  expect(hasNoBody: boolean): void {
    this.#state = "head"
    this.#hasNoBody = hasNoBody
    this.#partialHead = null
    this.#isPersistent = false
  }

  /** Whether the connection can take another request. */
  get isReusable(): boolean {
    return this.#state === "done" && this.#isPersistent
  }

  /**
   * Parses received bytes. Copies what it keeps, so `read` may be overwritten afterwards.
   * @throws {MalformedHttpError} also for bytes received when no response is expected
   */
  push(read: Buffer): void {
    const bytes = this.#partialHead ? Buffer.concat([this.#partialHead, read]) : read
    this.#partialHead = null
    let at = 0
    while (this.#state === "head") {
      const end = this.#findHeadEnd(bytes, at)
      if (end < 0) return
      this.#receiveHead(parseResponseHead(bytes.toString("latin1", at, end)))
      at = end + headTerminator.length
    }
    if (at < bytes.length) this.#receiveBody(bytes, at)
  }

  /** Handles the end of the connection. @returns whether the response is complete */
  finish(): boolean {
    if (this.#state === "until-close") this.#end()
    return this.#state === "done"
  }

  /** @returns -1 if the head is incomplete; its bytes are kept for the next `push` */
  #findHeadEnd(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(headTerminator, from)
    if ((end < 0 ? bytes.length : end) - from > maxHeadBytes) {
      throw new MalformedHttpError("the response head is too long")
    }
    if (end >= 0) return end
    const start = bytes.toString("latin1", from, from + protocol.length)
    if (!protocol.startsWith(start)) throw new MalformedHttpError("the response is not HTTP")
    this.#partialHead = Buffer.from(bytes.subarray(from))
    return -1
  }

  #receiveHead(head: ResponseHead): void {
    const { status, rawHeaders } = head
    if (status === 101)
      throw new MalformedHttpError("the server switched protocols without being asked")
    // Interim responses (1xx) are skipped; a final one has to follow.
    if (status < 200 && !head.isPersistent)
      throw new MalformedHttpError("an interim response was not followed by a final one")
    if (status < 200) return
    this.keepAliveSeconds = head.keepAliveSeconds
    const hasNoBody =
      this.#hasNoBody || status === 204 || status === 304 || head.contentLength === 0
    this.#state = hasNoBody ? "done" : this.#startBody(head)
    this.#isPersistent = head.isPersistent && this.#state !== "until-close"
    this.#events.onHead(status, rawHeaders)
    if (hasNoBody) this.#events.onEnd()
  }

  #startBody({ contentLength, isChunked }: ResponseHead): State {
    if (contentLength !== null) {
      this.#remaining = contentLength
      return "fixed-length"
    }
    if (!isChunked) return "until-close"
    this.#chunkedDecoder = new ChunkedDecoder()
    return "chunked"
  }

  #receiveBody(bytes: Buffer, from: number): void {
    const end = this.#chunkedDecoder
      ? this.#receiveChunked(this.#chunkedDecoder, bytes, from)
      : this.#receiveUnchunked(bytes, from)
    if (end < bytes.length) throw new MalformedHttpError("data followed the end of the response")
  }

  #receiveChunked(decoder: ChunkedDecoder, bytes: Buffer, from: number): number {
    const payload = decoder.push(bytes, from)
    if (payload.length > 0) this.#events.onData(payload)
    if (decoder.isDone) this.#end()
    return decoder.offset
  }

  /** Reads a body without transfer coding. @returns the offset at which it ends */
  #receiveUnchunked(bytes: Buffer, from: number): number {
    if (this.#state === "done") return from
    const isFixedLength = this.#state === "fixed-length"
    const end = isFixedLength ? Math.min(bytes.length, from + this.#remaining) : bytes.length
    const chunk = Buffer.allocUnsafe(end - from)
    bytes.copy(chunk, 0, from, end)
    this.#remaining -= chunk.length
    this.#events.onData(chunk)
    if (isFixedLength && this.#remaining === 0) this.#end()
    return end
  }

  #end(): void {
    this.#state = "done"
    this.#chunkedDecoder = null
    this.#events.onEnd()
  }
}
