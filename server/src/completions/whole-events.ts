const newline = 0x0a
const carriageReturn = 0x0d
const blankLines = ["\n\n", "\n\r\n"].map((text) => Buffer.from(text))
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
  const ends = blankLines.map((blank) => {
    const start = bytes.lastIndexOf(blank)
    return start < 0 ? 0 : start + blank.length
  })
  return Math.max(...ends)
}

/** Finds where events end; a kind of blank line that does not occur is searched for only once. */
const createEndSearch = (bytes: Buffer) => {
  const ends = blankLines.map(() => 0)
  return (from: number): number => {
    for (const [kind, blank] of blankLines.entries()) {
      if ((ends[kind] ?? 0) > from) continue
      const start = bytes.indexOf(blank, from)
      ends[kind] = start < 0 ? Number.POSITIVE_INFINITY : start + blank.length
    }
    return Math.min(bytes.length, ...ends)
  }
}

/** Splits server-sent events without decoding them; the last one may lack its blank line. */
export const splitEvents = (bytes: Buffer): Buffer[] => {
  const endAfter = createEndSearch(bytes)
  const events: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = endAfter(at)
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
      this.#hold(chunk, searched)
      return empty
    }
    const isWhole = end === chunk.length
    const last = isWhole ? chunk : chunk.subarray(0, end)
    const events = this.heldBytes === 0 ? last : Buffer.concat([this.takeHeld(), last])
    this.#tail = empty
    if (!isWhole) this.#hold(chunk.subarray(end), chunk.subarray(end))
    return events
  }

  /** The bytes of an event that is not complete; its end is treated as the end of another event. */
  takeHeld(): Buffer {
    const held = Buffer.concat(this.#held)
    this.#held = []
    this.heldBytes = 0
    return held
  }

  #hold(bytes: Buffer, searched: Buffer): void {
    this.#held.push(bytes)
    this.heldBytes += bytes.length
    this.#tail = searched.subarray(-maxTailBytes)
  }
}
