import { dataOfEvent } from "../formats/sse-events.ts"
import type { TokenCounts } from "../usage/schema.ts"
import { parseTokenCounts } from "../usage/token-counts.ts"
import type { StreamEndMarkers } from "./operations/stream-end-markers.ts"
import type { StreamScanner } from "./response-consumer.ts"

const empty = Buffer.alloc(0)
/** A longer frame is forwarded in pieces, without scanning it. */
const maxFrameBytes = 1024 * 1024

const usageName = '"usage"'
const usageMark = Buffer.from(`${usageName}:`)
const dataMark = Buffer.from("data:")
const openBrace = 0x7b
const space = 0x20
const newline = 0x0a
const carriageReturn = 0x0d

/** Start of the frame around `at`: after the preceding blank line, or 0. */
const frameStart = (text: Buffer | string, at: number): number => {
  const unix = text.lastIndexOf("\n\n", at)
  const windows = text.lastIndexOf("\n\r\n", at)
  return Math.max(unix < 0 ? 0 : unix + 2, windows < 0 ? 0 : windows + 3)
}

/** Offset after the last blank line in `bytes`, or 0. */
export const lastBoundary = (bytes: Buffer): number => {
  const end = bytes.length
  if (bytes[end - 1] === newline) {
    const before = bytes[end - 2]
    if (before === newline) return end
    if (before === carriageReturn && bytes[end - 3] === newline) return end
  }
  return frameStart(bytes, end)
}

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

/** End of the frame around `at`: after the next blank line. */
const frameEnd = (text: string, at: number): number => {
  const unix = text.indexOf("\n\n", at)
  const windows = text.indexOf("\n\r\n", at)
  const end = text.length
  return Math.min(unix < 0 ? end : unix + 2, windows < 0 ? end : windows + 3)
}

interface FrameUsage {
  tokens: TokenCounts | null
  /** Whether the answer is still to come: its tokens are not counted yet. */
  isStart: boolean
  /** Whether the chunk carries nothing but usage (no choices). */
  isUsageOnly: boolean
}

const noUsage: FrameUsage = { tokens: null, isStart: false, isUsageOnly: false }

const readUsage = (frame: string): FrameUsage => {
  try {
    const data = JSON.parse(dataOfEvent(frame))
    const tokens = parseTokenCounts(data.usage ?? (data.response ?? data.message)?.usage)
    const isUsageOnly = tokens !== null && Array.isArray(data.choices) && data.choices.length === 0
    return { tokens, isStart: data.type === "message_start", isUsageOnly }
  } catch {
    return noUsage
  }
}

/** Anthropic may report the input tokens, or those of its cache, only when the message starts. */
const addPromptTokens = (tokens: TokenCounts, earlier: number | null): TokenCounts =>
  earlier !== null && earlier > tokens.tokens_in ? { ...tokens, tokens_in: earlier } : tokens

/**
 * Scans server-sent events on their way to the client: counts them, finds the usage and detects
 * whether the stream is complete. Incomplete frames are held back only if the usage chunk is to be
 * hidden.
 */
export class SseScanner implements StreamScanner {
  readonly #markers: StreamEndMarkers
  readonly #hideUsage: boolean
  #pending: Buffer = empty
  #last: Buffer = empty
  #previous: Buffer = empty
  #isInLongFrame = false
  /** Whether the last frame sent to the client lacks its blank line. */
  isFrameOpen = false
  tokens: TokenCounts | null = null
  #eventsAtTokens = 0
  promptTokens: number | null = null
  /** Events received; about one per token. */
  eventCount = 0

  constructor(endings: StreamEndMarkers, hideUsage: boolean) {
    this.#markers = endings
    this.#hideUsage = hideUsage
  }

  /** @returns the bytes to send to the client now */
  push(chunk: Buffer): Buffer {
    const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    const boundary = lastBoundary(bytes)
    const isWhole = boundary === bytes.length
    const whole = isWhole ? bytes : bytes.subarray(0, boundary)
    this.#pending = isWhole ? empty : bytes.subarray(boundary)
    const shown = boundary > 0 ? this.#scan(whole) : whole
    if (!this.#hideUsage) {
      this.isFrameOpen = this.#pending.length > 0
      if (this.#pending.length > maxFrameBytes) this.#skipLongFrame()
      return chunk
    }
    if (this.#pending.length <= maxFrameBytes) return shown
    const out = Buffer.concat([shown, this.#pending])
    this.#pending = empty
    this.isFrameOpen = true
    return out
  }

  get eventsAfterTokens(): number {
    return this.hasTerminator || this.hasFinishReason ? 0 : this.eventCount - this.#eventsAtTokens
  }

  /** The bytes still held back when the upstream ends or fails. */
  takeRemainder(): Buffer {
    const rest = this.#hideUsage ? this.#pending : empty
    if (rest.length > 0) this.isFrameOpen = true
    this.#pending = empty
    return rest
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

  /** What a complete stream still lacks, possibly nothing; null if the stream is incomplete. */
  takeMissingEnd(): string | null {
    if (this.hasTerminator) return ""
    if (!this.hasFinishReason) return null
    const { missingTerminator } = this.#markers
    if (!missingTerminator) return ""
    return this.isFrameOpen ? `\n\n${missingTerminator}` : missingTerminator
  }

  /** The beginning of a frame shows what it is, such as the end of a response with large items. */
  #skipLongFrame(): void {
    if (!this.#isInLongFrame) this.#keepAsLast(this.#pending)
    this.#isInLongFrame = true
    this.#pending = empty
  }

  #keepAsLast(piece: Buffer): void {
    this.#previous = this.#last
    this.#last = piece
  }

  #scan(whole: Buffer): Buffer {
    this.isFrameOpen = false
    this.#isInLongFrame = false
    const events = count(whole, dataMark)
    this.eventCount += events
    const { shown, extras } = containsUsage(whole)
      ? this.#extractUsage(whole)
      : { shown: whole, extras: 0 }
    if (events > extras) this.#keepAsLast(whole)
    return shown
  }

  #keepTokens(tokens: TokenCounts, isStart: boolean): void {
    // Some servers send a usage that they have not counted.
    if (tokens.tokens_in + tokens.tokens_out === 0) return
    this.#eventsAtTokens = this.eventCount
    if (!isStart) this.tokens = addPromptTokens(tokens, this.tokens?.tokens_in ?? this.promptTokens)
    else if (tokens.tokens_in > 0) this.promptTokens = tokens.tokens_in
  }

  #extractUsage(whole: Buffer): { shown: Buffer; extras: number } {
    // Decoded byte by byte, whatever the encoding: only digits are read from it.
    const text = whole.toString("latin1")
    const shown: string[] = []
    let extras = 0
    let from = 0
    let tokensEnd = whole.length
    for (let at = text.indexOf(usageName); at >= 0; at = text.indexOf(usageName, from)) {
      const start = Math.max(from, frameStart(text, at))
      const end = frameEnd(text, at)
      const { tokens, isStart, isUsageOnly } = readUsage(text.slice(start, end))
      if (tokens) {
        this.#keepTokens(tokens, isStart)
        tokensEnd = end
      }
      if (isUsageOnly) extras++
      shown.push(text.slice(from, isUsageOnly ? start : end))
      from = end
    }
    if (tokensEnd < whole.length) this.#eventsAtTokens -= count(whole.subarray(tokensEnd), dataMark)
    if (!this.#hideUsage || extras === 0) return { shown: whole, extras }
    shown.push(text.slice(from))
    return { shown: Buffer.from(shown.join(""), "latin1"), extras }
  }
}
