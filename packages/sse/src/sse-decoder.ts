/** Limit for one event; a generated image takes a few million characters. */
const defaultMaxEventLength = 16_000_000

export interface ServerSentEvent {
  /** The value of the `event` field; `message` if there is none. */
  type: string
  /** The values of the `data` fields, separated by newlines. */
  data: string
}

/** An event exceeds the limit. The message continues a sentence about the stream. */
export class EventTooLargeError extends Error {
  override readonly name = "EventTooLargeError"
}

/**
 * Incremental decoder for server-sent events (WHATWG HTML, section 9.2.6). The input may be split at any
 * byte. Takes linear time and holds at most one incomplete event. The fields `id` and `retry`, which
 * serve reconnection, are ignored.
 */
export class SseDecoder {
  readonly #maxEventLength: number
  readonly #text = new TextDecoder()
  /** The incomplete last line. */
  #line = ""
  /** Whether the last line ended with CR at the end of a chunk, so that a following LF belongs to it. */
  #endedWithCarriageReturn = false
  #type = ""
  #data: string[] = []
  /** Characters since the last blank line. */
  #eventLength = 0

  /** @param maxEventLength in characters, including field names, comments and line ends */
  constructor(maxEventLength = defaultMaxEventLength) {
    this.#maxEventLength = maxEventLength
  }

  /** @returns the events that the chunk completes. @throws {EventTooLargeError} */
  push(chunk: Uint8Array): ServerSentEvent[] {
    const text = this.#text.decode(chunk, { stream: true })
    const events: ServerSentEvent[] = []
    let start = this.#skipLineFeed(text)
    let lineFeed = text.indexOf("\n", start)
    let carriageReturn = text.indexOf("\r", start)
    while (lineFeed >= 0 || carriageReturn >= 0) {
      const isLineFeed = carriageReturn < 0 || (lineFeed >= 0 && lineFeed < carriageReturn)
      const end = isLineFeed ? lineFeed : carriageReturn
      this.#count(end + 1 - start)
      this.#endLine(this.#line + text.slice(start, end), events)
      this.#line = ""
      start = end + 1
      if (!isLineFeed) {
        this.#endedWithCarriageReturn = true
        start += this.#skipLineFeed(text.slice(start, start + 1))
        carriageReturn = text.indexOf("\r", start)
      }
      if (lineFeed >= 0 && lineFeed < start) lineFeed = text.indexOf("\n", start)
    }
    this.#count(text.length - start)
    this.#line += text.slice(start)
    return events
  }

  /** Call once at the end. @returns a last event that lacks its blank line, which the standard discards */
  end(): ServerSentEvent[] {
    const events: ServerSentEvent[] = []
    this.#endLine(this.#line + this.#text.decode(), events)
    this.#endEvent(events)
    return events
  }

  /** @returns the offset after an LF that belongs to the CR before `text` */
  #skipLineFeed(text: string): number {
    if (!this.#endedWithCarriageReturn || text === "") return 0
    this.#endedWithCarriageReturn = false
    return text.startsWith("\n") ? 1 : 0
  }

  #count(characters: number): void {
    this.#eventLength += characters
    if (this.#eventLength <= this.#maxEventLength) return
    const megabytes = this.#maxEventLength / 1e6
    throw new EventTooLargeError(`it has an event of more than ${megabytes} MB`)
  }

  #endLine(line: string, events: ServerSentEvent[]): void {
    if (line === "") {
      this.#endEvent(events)
      return
    }
    const colon = line.indexOf(":")
    const field = colon < 0 ? line : line.slice(0, colon)
    if (field !== "data" && field !== "event") return
    const valueStart = line[colon + 1] === " " ? colon + 2 : colon + 1
    const value = colon < 0 ? "" : line.slice(valueStart)
    if (field === "data") this.#data.push(value)
    else this.#type = value
  }

  #endEvent(events: ServerSentEvent[]): void {
    const [first] = this.#data
    if (first !== undefined) {
      const data = this.#data.length === 1 ? first : this.#data.join("\n")
      events.push({ type: this.#type || "message", data })
      this.#data = []
    }
    this.#type = ""
    this.#eventLength = 0
  }
}

/** The events of a complete text, whatever their size; the last one may lack its blank line. */
export const decodeEvents = (bytes: Uint8Array): ServerSentEvent[] => {
  const decoder = new SseDecoder(Number.POSITIVE_INFINITY)
  const events = decoder.push(bytes)
  events.push(...decoder.end())
  return events
}
