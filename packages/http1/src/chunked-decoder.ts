import { isFramingField, parseFieldLines } from "./header-fields.ts"
import { MalformedHttpError } from "./malformed-http-error.ts"

const maxLineLength = 16 * 1024
/** 52 bits; one more hex digit would exceed the exact range of a number. */
const maxSizeDigits = 13

const carriageReturn = 0x0d
const lineFeed = 0x0a
const semicolon = 0x3b

/** Zero or more of `;name`, `;name=token`, `;name="quoted"` (RFC 9112 §7.1.1). */
const chunkExtensions =
  /^(?:;[!#$%&'*+\-.^_`|~\w]+(?:=(?:[!#$%&'*+\-.^_`|~\w]+|"(?:[\t !#-[\]-~\u0080-\u00ff]|\\[\t -~\u0080-\u00ff])*"))?)*$/

const hexDigit = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

type State = "size" | "extension" | "chunk" | "end" | "trailer" | "done"

/** Incremental decoder for chunked bodies (RFC 9112 §7.1); input may be split at any byte. */
export class ChunkedDecoder {
  #state: State = "size"
  /** Bytes of the current chunk that are still missing. */
  #remaining = 0
  /** Digits read of the current chunk size. */
  #sizeDigits = 0
  /** The current line without its chunk size. */
  #line = ""
  /** Whether the line's CR has been read; only LF may follow. */
  #isLineFeedExpected = false
  #trailerBytes = 0
  /** Offset in the input at which the last `push` stopped. */
  offset = 0

  get isDone(): boolean {
    return this.#state === "done"
  }

  /**
   * Reads `bytes` from `from` to the end of the body or of the input; `offset` is where it stopped.
   * @returns the payload of all chunks read, concatenated
   * @throws {MalformedHttpError}
   */
  push(bytes: Buffer, from: number): Buffer {
    const payload = Buffer.allocUnsafe(bytes.length - from)
    let payloadLength = 0
    let offset = from
    while (offset < bytes.length && this.#state !== "done") {
      if (this.#state !== "chunk") {
        this.#readLineByte(bytes[offset++] ?? 0)
        continue
      }
      const end = Math.min(bytes.length, offset + this.#remaining)
      bytes.copy(payload, payloadLength, offset, end)
      payloadLength += end - offset
      this.#remaining -= end - offset
      offset = end
      if (this.#remaining === 0) this.#enterState("end")
    }
    this.offset = offset
    return payload.subarray(0, payloadLength)
  }

  #enterState(state: State): void {
    this.#state = state
    this.#sizeDigits = 0
    this.#line = ""
    this.#isLineFeedExpected = false
  }

  /** Reads a byte of a line: a chunk size, the line end after a chunk, or a trailer field. */
  #readLineByte(byte: number): void {
    if (this.#isLineFeedExpected) this.#readLineFeed(byte)
    else if (byte === carriageReturn) this.#isLineFeedExpected = true
    else if (this.#state === "size") this.#readSizeByte(byte)
    else if (this.#state === "end")
      throw new MalformedHttpError("a chunk does not have its declared size")
    else this.#appendToLine(byte)
  }

  #readSizeByte(byte: number): void {
    const digit = hexDigit(byte)
    if (digit >= 0) {
      if (++this.#sizeDigits > maxSizeDigits)
        throw new MalformedHttpError("a chunk size is too large")
      this.#remaining = this.#remaining * 16 + digit
      return
    }
    if (byte !== semicolon || this.#sizeDigits === 0) {
      throw new MalformedHttpError("a chunk size is invalid")
    }
    this.#state = "extension"
    this.#appendToLine(byte)
  }

  #appendToLine(byte: number): void {
    if (byte === lineFeed) throw new MalformedHttpError("a chunk line does not end in CR LF")
    if (this.#line.length >= maxLineLength) throw new MalformedHttpError("a chunk line is too long")
    this.#line += String.fromCharCode(byte)
  }

  #readLineFeed(byte: number): void {
    if (byte !== lineFeed) throw new MalformedHttpError("a chunk line does not end in CR LF")
    if (this.#state === "end") this.#enterState("size")
    else if (this.#state === "trailer") this.#endTrailerLine()
    else this.#endSizeLine()
  }

  #endSizeLine(): void {
    if (this.#state === "size" && this.#sizeDigits === 0) {
      throw new MalformedHttpError("a chunk size is invalid")
    }
    if (this.#line !== "" && !chunkExtensions.test(this.#line))
      throw new MalformedHttpError("a chunk extension is invalid")
    this.#enterState(this.#remaining === 0 ? "trailer" : "chunk")
  }

  /** Trailer fields are dropped, but framing fields are rejected: other parsers may honor them. */
  #endTrailerLine(): void {
    if (this.#line === "") {
      this.#enterState("done")
      return
    }
    this.#trailerBytes += this.#line.length
    if (this.#trailerBytes > maxLineLength) throw new MalformedHttpError("the trailer is too long")
    const [name = ""] = parseFieldLines(this.#line, 0)
    if (isFramingField(name)) {
      throw new MalformedHttpError(
        `the trailer contains ${name}, which is only allowed in the head`,
      )
    }
    this.#enterState("trailer")
  }
}
