import { isFramingField, parseFields } from "./header-fields.ts"
import { MalformedHttpError } from "./malformed-http-error.ts"

const maxLine = 16 * 1024
/** 52 bits; one more hex digit would exceed the exact range of a number. */
const maxSizeDigits = 13

const carriageReturn = 0x0d
const lineFeed = 0x0a
const semicolon = 0x3b

/** Zero or more of `;name`, `;name=token`, `;name="quoted"` (RFC 9112 §7.1.1). */
const extensions =
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
  #left = 0
  /** Digits read of the current chunk size. */
  #digits = 0
  /** The current line without its chunk size. */
  #line = ""
  /** Whether the line's CR has been read; only LF may follow. */
  #ending = false
  #trailerBytes = 0
  /** Offset in the input at which the last `push` stopped. */
  at = 0

  get done(): boolean {
    return this.#state === "done"
  }

  /**
   * Reads `bytes` from `from` to the end of the body or of the input; `at` is where it stopped.
   * @returns the payload of all chunks read, concatenated
   * @throws {MalformedHttpError}
   */
  push(bytes: Buffer, from: number): Buffer {
    const payload = Buffer.allocUnsafe(bytes.length - from)
    let filled = 0
    let at = from
    while (at < bytes.length && this.#state !== "done") {
      if (this.#state !== "chunk") {
        this.#byte(bytes[at++] ?? 0)
        continue
      }
      const to = Math.min(bytes.length, at + this.#left)
      bytes.copy(payload, filled, at, to)
      filled += to - at
      this.#left -= to - at
      at = to
      if (this.#left === 0) this.#turn("end")
    }
    this.at = at
    return payload.subarray(0, filled)
  }

  #turn(state: State): void {
    this.#state = state
    this.#digits = 0
    this.#line = ""
    this.#ending = false
  }

  /** Reads a byte of a line: a chunk size, the line end after a chunk, or a trailer field. */
  #byte(byte: number): void {
    if (this.#ending) this.#lineEnd(byte)
    else if (byte === carriageReturn) this.#ending = true
    else if (this.#state === "size") this.#sizeByte(byte)
    else if (this.#state === "end")
      throw new MalformedHttpError("a chunk does not have its declared size")
    else this.#lineByte(byte)
  }

  #sizeByte(byte: number): void {
    const digit = hexDigit(byte)
    if (digit >= 0) {
      if (++this.#digits > maxSizeDigits) throw new MalformedHttpError("a chunk size is too large")
      this.#left = this.#left * 16 + digit
      return
    }
    if (byte !== semicolon || this.#digits === 0) {
      throw new MalformedHttpError("a chunk size is invalid")
    }
    this.#state = "extension"
    this.#lineByte(byte)
  }

  #lineByte(byte: number): void {
    if (byte === lineFeed) throw new MalformedHttpError("a chunk line does not end in CR LF")
    if (this.#line.length >= maxLine) throw new MalformedHttpError("a chunk line is too long")
    this.#line += String.fromCharCode(byte)
  }

  #lineEnd(byte: number): void {
    if (byte !== lineFeed) throw new MalformedHttpError("a chunk line does not end in CR LF")
    if (this.#state === "end") this.#turn("size")
    else if (this.#state === "trailer") this.#trailerLine()
    else this.#sizeLine()
  }

  #sizeLine(): void {
    if (this.#state === "size" && this.#digits === 0) {
      throw new MalformedHttpError("a chunk size is invalid")
    }
    if (this.#line !== "" && !extensions.test(this.#line))
      throw new MalformedHttpError("a chunk extension is invalid")
    this.#turn(this.#left === 0 ? "trailer" : "chunk")
  }

  /** Trailer fields are dropped, but framing fields are rejected: other parsers may honor them. */
  #trailerLine(): void {
    if (this.#line === "") {
      this.#turn("done")
      return
    }
    this.#trailerBytes += this.#line.length
    if (this.#trailerBytes > maxLine) throw new MalformedHttpError("the trailer is too long")
    const [name = ""] = parseFields(this.#line, 0)
    if (isFramingField(name)) {
      throw new MalformedHttpError(
        `the trailer contains ${name}, which is only allowed in the head`,
      )
    }
    this.#turn("trailer")
  }
}
