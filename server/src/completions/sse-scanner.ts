import type { Tokens } from "../usage/schema.ts"
import { countedTokens } from "../usage/token-counts.ts"

const empty = Buffer.alloc(0)
/** A frame longer than this is passed on in pieces, and not looked into. */
const maxFrame = 1024 * 1024

const usageName = '"usage"'
const usageMark = Buffer.from(`${usageName}:`)
const dataMark = Buffer.from("data:")
const openBrace = 0x7b
const space = 0x20
const newline = 0x0a
const carriageReturn = 0x0d

/** How a kind of stream says that it is whole. */
export interface Endings {
  /** Any of these as the beginning of a line. */
  lines: readonly Buffer[]
  /** Any of these, quotes included: within text they would be escaped. */
  members: readonly Buffer[]
  /** What to add when the upstream ended well but left it out; null where nothing may be added. */
  closing: string | null
  /** How a piece of the answer begins. */
  pieces: readonly Buffer[]
  /** Any of these in the last piece means that the answer itself is complete. */
  finished: readonly Buffer[]
}

const buffers = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text))

const done = buffers("data: [DONE]", "data:[DONE]")
const lastOfResponse = ["completed", "incomplete", "failed"].map((word) => `"response.${word}"`)

export const chatEndings: Endings = {
  lines: done,
  members: [],
  closing: "data: [DONE]\n\n",
  pieces: buffers('"choices":[{', '"choices": [{'),
  finished: buffers('"finish_reason":"', '"finish_reason": "'),
}

export const responseEndings: Endings = {
  lines: done,
  members: buffers(...lastOfResponse.flatMap((type) => [`"type":${type}`, `"type": ${type}`])),
  closing: null,
  pieces: [],
  finished: [],
}

/** Where the frame around `at` begins: behind the blank line before it, or at 0. */
const frameStart = (text: Buffer | string, at: number): number => {
  const unix = text.lastIndexOf("\n\n", at)
  const windows = text.lastIndexOf("\n\r\n", at)
  return Math.max(unix < 0 ? 0 : unix + 2, windows < 0 ? 0 : windows + 3)
}

/** One past the last blank line of `bytes`, or 0. */
const lastBoundary = (bytes: Buffer): number => {
  const end = bytes.length
  if (bytes[end - 1] === newline) {
    const before = bytes[end - 2]
    if (before === newline) return end
    if (before === carriageReturn && bytes[end - 3] === newline) return end
  }
  return frameStart(bytes, end)
}

const holdsUsage = (bytes: Buffer): boolean => {
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

const holdsLine = (bytes: Buffer, start: Buffer): boolean => {
  for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + start.length)) {
    if (at === 0 || bytes[at - 1] === newline) return true
  }
  return false
}

const lastOf = (bytes: Buffer, marks: readonly Buffer[]): number =>
  Math.max(-1, ...marks.map((mark) => bytes.lastIndexOf(mark)))

const dataOf = (frame: string): string =>
  frame
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5))
    .join("\n")

/** Where the frame around `at` ends: behind the blank line after it. */
const frameEnd = (text: string, at: number): number => {
  const unix = text.indexOf("\n\n", at)
  const windows = text.indexOf("\n\r\n", at)
  const end = text.length
  return Math.min(unix < 0 ? end : unix + 2, windows < 0 ? end : windows + 3)
}

interface Counted {
  tokens: Tokens | null
  /** A chunk sent for nothing but its usage: no choices. */
  extra: boolean
}

const nothing: Counted = { tokens: null, extra: false }

const readUsage = (frame: string): Counted => {
  try {
    const data = JSON.parse(dataOf(frame))
    const tokens = countedTokens(data.usage ?? data.response?.usage)
    const extra = tokens !== null && Array.isArray(data.choices) && data.choices.length === 0
    return { tokens, extra }
  } catch {
    return nothing
  }
}

/**
 * Watches server-sent events pass by: counts them, finds the usage, knows whether the stream is
 * whole. Only when the usage chunk is to be hidden are unfinished frames held back, until whole.
 */
export class Frames {
  readonly #endings: Endings
  readonly #hideUsage: boolean
  #rest: Buffer = empty
  #last: Buffer = empty
  #lastButOne: Buffer = empty
  #open = false
  tokens: Tokens | null = null
  /** How many events came; about one a token. */
  events = 0

  constructor(endings: Endings, hideUsage: boolean) {
    this.#endings = endings
    this.#hideUsage = hideUsage
  }

  /** @returns what of it goes to the client now */
  pass(chunk: Buffer): Buffer {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const boundary = lastBoundary(bytes)
    const isWhole = boundary === bytes.length
    const whole = isWhole ? bytes : bytes.subarray(0, boundary)
    this.#rest = isWhole ? empty : bytes.subarray(boundary)
    const shown = boundary > 0 ? this.#look(whole) : whole
    if (!this.#hideUsage) {
      this.#open = this.#rest.length > 0
      if (this.#rest.length > maxFrame) this.#rest = empty
      return chunk
    }
    if (this.#rest.length <= maxFrame) return shown
    const out = Buffer.concat([shown, this.#rest])
    this.#rest = empty
    this.#open = true
    return out
  }

  /** What is still held back when the upstream ends or dies. */
  remainder(): Buffer {
    const rest = this.#hideUsage ? this.#rest : empty
    if (rest.length > 0) this.#open = true
    this.#rest = empty
    return rest
  }

  /** Whether the client's last frame lacks its blank line. */
  get open(): boolean {
    return this.#open
  }

  /** Whether the stream said itself that it is whole; looked for once, in what came last. */
  get ended(): boolean {
    const { lines, members } = this.#endings
    return [this.#last, this.#lastButOne].some(
      (piece) =>
        lines.some((line) => holdsLine(piece, line)) ||
        members.some((member) => piece.includes(member)),
    )
  }

  /** Whether the answer is complete though the stream's own last word is missing. */
  get finished(): boolean {
    const { pieces, finished } = this.#endings
    return lastOf(this.#last, finished) > lastOf(this.#last, pieces)
  }

  get closing(): string | null {
    return this.#endings.closing
  }

  #look(whole: Buffer): Buffer {
    this.#open = false
    const events = count(whole, dataMark)
    this.events += events
    const { shown, extras } = holdsUsage(whole)
      ? this.#takeUsage(whole)
      : { shown: whole, extras: 0 }
    if (events > extras) {
      this.#lastButOne = this.#last
      this.#last = whole
    }
    return shown
  }

  #takeUsage(whole: Buffer): { shown: Buffer; extras: number } {
    // Byte for byte, whatever the encoding: what is read of it are digits.
    const text = whole.toString("latin1")
    const shown: string[] = []
    let extras = 0
    let from = 0
    for (let at = text.indexOf(usageName); at >= 0; at = text.indexOf(usageName, from)) {
      const start = Math.max(from, frameStart(text, at))
      const end = frameEnd(text, at)
      const { tokens, extra } = readUsage(text.slice(start, end))
      if (tokens) this.tokens = tokens
      if (extra) extras++
      shown.push(text.slice(from, extra ? start : end))
      from = end
    }
    if (!this.#hideUsage || extras === 0) return { shown: whole, extras }
    shown.push(text.slice(from))
    return { shown: Buffer.from(shown.join(""), "latin1"), extras }
  }
}
