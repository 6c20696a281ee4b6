const newline = 0x0a
const carriageReturn = 0x0d
const unixBlankLine = Buffer.from("\n\n")
const windowsBlankLine = Buffer.from("\n\r\n")
/** A blank line may begin this many bytes before a chunk. */
const maxTailBytes = 2
const empty = Buffer.alloc(0)

/** Offset after the last blank line, or 0. */
const lastEventEnd = (bytes: Buffer): number => {
  const end = bytes.length
  if (bytes[end - 1] === newline) {
    const before = bytes[end - 2]
    if (before === newline) return end
    if (before === carriageReturn && bytes[end - 3] === newline) return end
  }
  const unix = bytes.lastIndexOf(unixBlankLine)
  const windows = bytes.lastIndexOf(windowsBlankLine)
  return Math.max(unix < 0 ? 0 : unix + 2, windows < 0 ? 0 : windows + 3)
}

const endAfter = (bytes: Buffer, blankLine: Buffer, from: number): number => {
  const start = bytes.indexOf(blankLine, from)
  return start < 0 ? bytes.length : start + blankLine.length
}

/** Splits server-sent events without decoding them; the last one may lack its blank line. */
export const splitEvents = (bytes: Buffer): Buffer[] => {
  const events: Buffer[] = []
  // A kind of blank line that does not occur is searched for only once.
  let unixEnd = 0
  let windowsEnd = 0
  for (let at = 0; at < bytes.length; ) {
    if (unixEnd <= at) unixEnd = endAfter(bytes, unixBlankLine, at)
    if (windowsEnd <= at) windowsEnd = endAfter(bytes, windowsBlankLine, at)
    const end = Math.min(unixEnd, windowsEnd)
    events.push(bytes.subarray(at, end))
    at = end
  }
  return events
}

/** Cuts a stream of server-sent events into pieces of whole events, without decoding them. */
export class WholeEvents {
  readonly #maxBytes: number
  #held: Buffer[] = []
  /** Bytes of an event that is not complete yet. */
  heldBytes = 0
  /** The last bytes received, unless they end an event. */
  #tail: Buffer = empty

  /** @param maxBytes size of an event whose end is not awaited */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether an event is too large to wait for its end. */
  get isFull(): boolean {
    return this.heldBytes > this.#maxBytes
  }

  /** @returns whole events, possibly none */
  push(chunk: Buffer): Buffer {
    const searched = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk])
    const end = lastEventEnd(searched) - this.#tail.length
    if (end <= 0) {
      this.#hold(chunk)
      return empty
    }
    const isWhole = end === chunk.length
    let events = isWhole ? chunk : chunk.subarray(0, end)
    if (this.heldBytes > 0) {
      this.#held.push(events)
      events = this.takeHeld()
    }
    this.#tail = empty
    if (!isWhole) this.#hold(chunk.subarray(end))
    return events
  }

  /** The bytes of an event that is not complete; its end is treated as the end of another event. */
  takeHeld(): Buffer {
    const held = Buffer.concat(this.#held)
    this.#held = []
    this.heldBytes = 0
    return held
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes)
    this.heldBytes += bytes.length
    this.#tail =
      bytes.length < maxTailBytes
        ? Buffer.concat([this.#tail, bytes]).subarray(-maxTailBytes)
        : bytes.subarray(-maxTailBytes)
  }
}
