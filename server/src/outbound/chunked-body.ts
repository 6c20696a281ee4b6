import { MalformedReply } from "./malformed-reply.ts"

const longestLine = 16 * 1024
/** 2^52 bytes; more digits would not be exact. */
const mostSizeDigits = 13

const carriageReturn = 0x0d
const lineFeed = 0x0a
const semicolon = 0x3b
const space = 0x20
const tab = 0x09

const hexDigit = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

type State = "size" | "extension" | "chunk" | "end" | "trailer" | "done"

/** Takes the bytes of a chunked body apart, cut anywhere (RFC 9112 §7.1). */
export class ChunkedBody {
  #state: State = "size"
  /** Of the chunk that is being read. */
  #left = 0
  /** Of the size or the line that is being read. */
  #seen = 0
  #trailerBytes = 0
  /** Where the last read ended. */
  at = 0

  get done(): boolean {
    return this.#state === "done"
  }

  /**
   * Reads `bytes` from `from`, to the end of the body or of what came; `at` says which.
   * @returns the payload of all chunks in it as one. @throws {MalformedReply}
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
    this.#seen = 0
  }

  #byte(byte: number): void {
    if (this.#state === "size") this.#sizeByte(byte)
    else if (this.#state === "extension") this.#extensionByte(byte)
    else if (this.#state === "end") this.#endByte(byte)
    else this.#trailerByte(byte)
  }

  #sizeByte(byte: number): void {
    const digit = hexDigit(byte)
    if (digit >= 0) {
      if (++this.#seen > mostSizeDigits) throw new MalformedReply("a chunk is too long")
      this.#left = this.#left * 16 + digit
      return
    }
    const ends = byte === carriageReturn || byte === semicolon || byte === space || byte === tab
    if (!ends || this.#seen === 0) throw new MalformedReply("a chunk has no valid size")
    this.#turn("extension")
  }

  #extensionByte(byte: number): void {
    if (++this.#seen > longestLine) throw new MalformedReply("a chunk's head is too long")
    if (byte === lineFeed) this.#turn(this.#left === 0 ? "trailer" : "chunk")
  }

  /** After a chunk: CR LF. */
  #endByte(byte: number): void {
    if (byte === carriageReturn && this.#seen === 0) this.#seen = 1
    else if (byte === lineFeed && this.#seen === 1) this.#turn("size")
    else throw new MalformedReply("a chunk is not of its size")
  }

  /** Lines until an empty one; nobody here reads them. */
  #trailerByte(byte: number): void {
    if (++this.#trailerBytes > longestLine) throw new MalformedReply("the trailer is too long")
    if (byte === lineFeed) this.#turn(this.#seen === 0 ? "done" : "trailer")
    else if (byte !== carriageReturn) this.#seen++
  }
}
