import { decodeEvents } from "@portico/sse"
import { parseTokenCounts } from "../../usage/parse-token-counts.ts"
import { maxTokens, type TokenCounts, withoutOutput } from "../../usage/token-counts.ts"
import type { StreamEndMarkers } from "../operations/stream-end-markers.ts"
import type { StreamScanner } from "./response-consumer.ts"
import { splitEvents, WholeEvents } from "./whole-events.ts"

const empty = Buffer.alloc(0)
/** A longer event is forwarded without scanning it. */
const maxScannedBytes = 1024 * 1024
/** A longer event is forwarded as it arrives, although events are to be passed on as a whole. */
export const maxWholeEventBytes = 16_000_000

const usageMark = Buffer.from('"usage":')
const dataMark = Buffer.from("data:")
const openBrace = 0x7b
const space = 0x20
const newline = 0x0a

/** What a scanner passes on, and when. */
export type StreamPassing =
  /** All bytes as they arrive. */
  | "bytes"
  /** Whole events, until one is too large to wait for its end. */
  | "whole_events"
  /** Whole events without those that contain nothing but usage. */
  | "without_usage"

const containsUsage = (bytes: Buffer): boolean => {
  let at = bytes.indexOf(usageMark)
  while (at >= 0) {
    at += usageMark.length
    if (bytes[at] === space) at++
    if (bytes[at] === openBrace) return true
    at = bytes.indexOf(usageMark, at)
  }
  return false
}

const count = (bytes: Buffer, mark: Buffer): number => {
  let found = 0
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) found++
  return found
}

const containsLine = (bytes: Buffer, start: Buffer): boolean => {
  for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + start.length)) {
    if (at === 0 || bytes[at - 1] === newline) return true
  }
  return false
}

const lastIndexOfAny = (bytes: Buffer, marks: readonly Buffer[]): number =>
  Math.max(-1, ...marks.map((mark) => bytes.lastIndexOf(mark)))

interface EventUsage {
  tokens: TokenCounts | null
  /** Whether the answer is still to come: its tokens are not counted yet. */
  isStart: boolean
  /** Whether the event contains nothing but usage (no choices). */
  isUsageOnly: boolean
}

const noUsage: EventUsage = { tokens: null, isStart: false, isUsageOnly: false }

const readUsage = (event: Buffer): EventUsage => {
  try {
    const data = JSON.parse(decodeEvents(event)[0]?.data ?? "")
    const tokens = parseTokenCounts(data.usage ?? (data.response ?? data.message)?.usage)
    const isUsageOnly = tokens !== null && Array.isArray(data.choices) && data.choices.length === 0
    return { tokens, isStart: data.type === "message_start", isUsageOnly }
  } catch {
    return noUsage
  }
}

/**
 * Anthropic may report the input tokens, or those of its cache, only when the message starts.
 * @param earlier counts of the same answer; null if none were reported
 */
const addEarlierInput = (tokens: TokenCounts, earlier: TokenCounts | null): TokenCounts =>
  earlier ? maxTokens(tokens, withoutOutput(earlier)) : tokens

/**
 * Scans server-sent events on their way to the consumer, without rebuilding them: counts them, finds the
 * usage, and detects whether the stream is complete.
 */
export class SseScanner implements StreamScanner {
  readonly #markers: StreamEndMarkers
  #passing: StreamPassing
  #events: WholeEvents
  #last: Buffer = empty
  #previous: Buffer = empty
  #isInLongEvent = false
  isEventOpen = false
  tokens: TokenCounts | null = null
  #eventsAtTokens = 0
  startTokens: TokenCounts | null = null
  eventCount = 0

  constructor(markers: StreamEndMarkers, passing: StreamPassing) {
    this.#markers = markers
    this.#passing = passing
    const maxBytes = passing === "whole_events" ? maxWholeEventBytes : maxScannedBytes
    this.#events = new WholeEvents(maxBytes)
  }

  push(chunk: Buffer): Buffer {
    const { heldBytes } = this.#events
    const events = this.#events.push(chunk)
    const shown = events.length > 0 ? this.#scan(events, heldBytes) : events
    if (this.#passing === "bytes") {
      this.isEventOpen = this.#events.heldBytes > 0
      if (this.#events.isFull) this.#keepStartOfLongEvent(this.#events.takeHeld())
      return chunk
    }
    return this.#events.isFull ? this.#passLongEvent(shown) : shown
  }

  end(): Buffer | null {
    if (this.hasTerminator) return this.#takeHeld()
    if (!this.hasFinishReason) return null
    const rest = this.#takeHeld()
    const { missingTerminator } = this.#markers
    if (missingTerminator === null) return rest
    const blankLine = this.isEventOpen ? "\n\n" : ""
    return Buffer.concat([rest, Buffer.from(blankLine + missingTerminator)])
  }

  breakOff(): Buffer {
    return this.#passing === "whole_events" ? empty : this.#takeHeld()
  }

  get eventsAfterTokens(): number {
    return this.hasTerminator || this.hasFinishReason ? 0 : this.eventCount - this.#eventsAtTokens
  }

  /** Whether the stream's terminator has arrived. Checked in the last two pieces only. */
  get hasTerminator(): boolean {
    const { terminatorLines, terminatorMembers } = this.#markers
    return [this.#last, this.#previous].some(
      (piece) =>
        terminatorLines.some((line) => containsLine(piece, line)) ||
        terminatorMembers.some((member) => piece.includes(member)),
    )
  }

  /** Whether the answer is complete even if the terminator is missing. */
  get hasFinishReason(): boolean {
    const { contentStarts, finishReasons } = this.#markers
    return lastIndexOfAny(this.#last, finishReasons) > lastIndexOfAny(this.#last, contentStarts)
  }

  /** Whether one of the last events is an error. */
  get hasError(): boolean {
    const { errorLines } = this.#markers
    return [this.#last, this.#previous].some((piece) =>
      errorLines.some((start) => containsLine(piece, start)),
    )
  }

  #takeHeld(): Buffer {
    if (this.#passing === "bytes") return empty
    const held = this.#events.takeHeld()
    if (held.length > 0) this.isEventOpen = true
    return held
  }

  #passLongEvent(before: Buffer): Buffer {
    const start = this.#takeHeld()
    if (this.#passing === "whole_events") {
      this.#keepStartOfLongEvent(start)
      this.#passing = "bytes"
      this.#events = new WholeEvents(maxScannedBytes)
    }
    return Buffer.concat([before, start])
  }

  /** The start of an event shows what it is, such as the end of a response with large items. */
  #keepStartOfLongEvent(bytes: Buffer): void {
    if (!this.#isInLongEvent) this.#keepAsLast(Buffer.from(bytes.subarray(0, maxScannedBytes)))
    this.#isInLongEvent = true
  }

  #keepAsLast(piece: Buffer): void {
    this.#previous = this.#last
    this.#last = piece
  }

  /**
   * @param heldBytes how many of the bytes were held back until now
   * @returns the events to pass on
   */
  #scan(events: Buffer, heldBytes: number): Buffer {
    const isLong = heldBytes > maxScannedBytes
    if (isLong) this.#keepStartOfLongEvent(events)
    const scanned = isLong ? events.subarray(heldBytes) : events
    this.isEventOpen = false
    this.#isInLongEvent = false
    if (containsUsage(scanned)) return this.#extractUsage(scanned, events)
    const added = count(scanned, dataMark)
    this.eventCount += added
    if (added > 0) this.#keepAsLast(scanned)
    return events
  }

  #extractUsage(scanned: Buffer, events: Buffer): Buffer {
    const received = splitEvents(scanned)
    const shown: Buffer[] = []
    let hasContent = false
    for (const event of received) {
      const added = count(event, dataMark)
      this.eventCount += added
      const { tokens, isStart, isUsageOnly } = containsUsage(event) ? readUsage(event) : noUsage
      if (tokens) this.#keepTokens(tokens, isStart)
      if (isUsageOnly) continue
      shown.push(event)
      if (added > 0) hasContent = true
    }
    if (hasContent) this.#keepAsLast(scanned)
    const isHidden = this.#passing === "without_usage" && shown.length < received.length
    return isHidden ? Buffer.concat(shown) : events
  }

  #keepTokens(tokens: TokenCounts, isStart: boolean): void {
    // Some servers send a usage that they have not counted.
    if (tokens.tokens_in + tokens.tokens_out === 0) return
    this.#eventsAtTokens = this.eventCount
    if (!isStart) this.tokens = addEarlierInput(tokens, this.tokens ?? this.startTokens)
    else if (tokens.tokens_in > 0) this.startTokens = withoutOutput(tokens)
  }
}
