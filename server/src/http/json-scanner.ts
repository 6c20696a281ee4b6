import { Failure, fail } from "../errors.ts"
import {
  type JsonLimits,
  nestingTooDeep,
  tooManyMembers,
  tooManyNestedMembers,
  tooManyValues,
} from "./json-limits.ts"
import { initialNumberState, isCompleteNumber, nextNumberState } from "./json-number.ts"
import { findStringDelimiter, scanWindow, scanWindowBytes } from "./json-string-search.ts"

/** Location of a member of the top-level object, as byte offsets. */
export interface ScannedMember {
  /** Offset of the key's opening quote. */
  start: number
  /** One past the key's closing quote. */
  keyEnd: number
  valueStart: number
  /** One past the value's last byte. */
  valueEnd: number
  /** Elements of the value if it is an array, else 0; `objects` counts the objects among them. */
  elements: number
  objects: number
}

export interface JsonScan {
  /** Null if the top-level value is not an object. */
  members: readonly ScannedMember[] | null
}

/** The token being scanned ("in …"), or what may come next. */
type State =
  | "in string"
  | "in escape"
  | "in hex"
  | "in number"
  | "in literal"
  | "value"
  | "first element"
  | "key"
  | "first key"
  | "colon"
  | "after value"
  | "end"

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** In place of the number of members. */
const openArray = -1

const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isHex = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)

const escaped = new Set(Buffer.from('"\\/bfnrt'))
const literals = new Map(["true", "false", "null"].map((text) => [text.charCodeAt(0), text]))

/** Most strings are shorter; for them, calling WebAssembly costs more than a loop. */
const nearBytes = 32

/**
 * Validates a JSON text in chunks, as it arrives: its syntax, nesting depth and number of values.
 * Time is linear in its bytes; memory depends only on its depth and its top-level members. Does not
 * check whether the bytes are valid UTF-8.
 */
export class JsonScanner {
  readonly #limits: JsonLimits
  /**
   * By depth: members of the open object so far, or `openArray`. It grows, because a typed array for
   * the maximum depth would cost as much as scanning a short body.
   */
  readonly #memberCounts: number[] = [openArray]
  readonly #maxNestedMembers: number
  readonly #members: ScannedMember[] = []
  #member: ScannedMember | null = null
  #isRootObject = false
  #state: State = "value"
  #depth = 0
  #values = 0
  /** Number of bytes before those in `scanWindow`. */
  #before = 0
  #isKey = false
  #hexLeft = 0
  #number = 0
  #literal = ""

  constructor(limits: JsonLimits) {
    this.#limits = limits
    this.#maxNestedMembers = limits.maxNestedMembers ?? Number.POSITIVE_INFINITY
  }

  /** @throws {Failure} `invalid_json`, `bad_request` or `body_too_large` */
  write(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; from += scanWindowBytes) {
      const part = bytes.subarray(from, from + scanWindowBytes)
      scanWindow.set(part)
      for (let at = 0; at < part.length; ) at = this.#step(at, part.length)
      this.#before += part.length
    }
  }

  /** @throws {Failure} `invalid_json` if the text is incomplete */
  end(): JsonScan {
    const isNumber = this.#state === "in number" && isCompleteNumber[this.#number] === true
    if (isNumber && this.#depth === 0) this.#state = "end"
    if (this.#state !== "end")
      fail("invalid_json", "The body is not valid JSON: it ends unexpectedly.")
    return { members: this.#isRootObject ? this.#members : null }
  }

  #step(at: number, end: number): number {
    switch (this.#state) {
      case "in string":
        return this.#inString(at, end)
      case "in escape":
        return this.#inEscape(at)
      case "in hex":
        return this.#inHex(at)
      case "in number":
        return this.#inNumber(at, end)
      case "in literal":
        return this.#inLiteral(at)
      default:
        return isSpace(scanWindow[at] ?? 0) ? at + 1 : this.#between(at)
    }
  }

  #between(at: number): number {
    const byte = scanWindow[at] ?? 0
    switch (this.#state) {
      case "first element":
        return byte === closeBracket ? this.#close(at) : this.#beginValue(at, byte)
      case "value":
        return this.#beginValue(at, byte)
      case "first key":
        return byte === closeBrace ? this.#close(at) : this.#beginKey(at, byte)
      case "key":
        return this.#beginKey(at, byte)
      case "colon":
        if (byte !== 0x3a) throw this.#unexpected(at)
        this.#state = "value"
        return at + 1
      case "after value":
        return this.#afterValue(at, byte)
      default:
        throw this.#unexpected(at)
    }
  }

  #afterValue(at: number, byte: number): number {
    const isObject = this.#memberCounts[this.#depth] !== openArray
    if (byte === (isObject ? closeBrace : closeBracket)) return this.#close(at)
    if (byte !== comma) throw this.#unexpected(at)
    this.#state = isObject ? "key" : "value"
    return at + 1
  }

  #beginKey(at: number, byte: number): number {
    if (byte !== quote) throw this.#unexpected(at)
    if (this.#depth === 1) {
      const start = this.#before + at
      if (this.#members.length === this.#limits.maxMembers) throw tooManyMembers(this.#limits)
      this.#member = { start, keyEnd: 0, valueStart: 0, valueEnd: 0, elements: 0, objects: 0 }
    } else this.#countNestedMember()
    this.#isKey = true
    this.#state = "in string"
    return at + 1
  }

  #countNestedMember(): void {
    const count = (this.#memberCounts[this.#depth] ?? 0) + 1
    this.#memberCounts[this.#depth] = count
    if (count > this.#maxNestedMembers) throw tooManyNestedMembers(this.#maxNestedMembers)
  }

  #beginValue(at: number, byte: number): number {
    if (++this.#values > this.#limits.maxValues) throw tooManyValues(this.#limits)
    if (this.#member) this.#note(this.#member, at, byte)
    if (byte === openBrace || byte === openBracket) return this.#open(at, byte === openBrace)
    if (byte === quote) {
      this.#isKey = false
      this.#state = "in string"
      return at + 1
    }
    this.#number = initialNumberState(byte)
    if (this.#number > 0) {
      this.#state = "in number"
      return at + 1
    }
    this.#literal = literals.get(byte) ?? ""
    if (this.#literal === "") throw this.#unexpected(at)
    this.#state = "in literal"
    return at
  }

  #note(member: ScannedMember, at: number, byte: number): void {
    if (this.#depth === 1) member.valueStart = this.#before + at
    else if (this.#depth === 2 && this.#memberCounts[2] === openArray) {
      member.elements++
      if (byte === openBrace) member.objects++
    }
  }

  #open(at: number, isObject: boolean): number {
    if (this.#depth === this.#limits.maxDepth) throw nestingTooDeep(this.#limits.maxDepth)
    if (this.#depth === 0) this.#isRootObject = isObject
    this.#memberCounts[++this.#depth] = isObject ? 0 : openArray
    this.#state = isObject ? "first key" : "first element"
    return at + 1
  }

  #close(at: number): number {
    this.#depth--
    this.#endValue(at + 1)
    return at + 1
  }

  /** @param end one past the value's last byte */
  #endValue(end: number): void {
    this.#state = this.#depth === 0 ? "end" : "after value"
    if (this.#depth !== 1 || !this.#member) return
    this.#member.valueEnd = this.#before + end
    this.#members.push(this.#member)
    this.#member = null
  }

  #inString(from: number, end: number): number {
    let at = from
    const near = Math.min(end, from + nearBytes)
    while (at < near && isPlain(scanWindow[at] ?? 0)) at++
    if (at === near && at < end) at = Math.min(end, findStringDelimiter(at, end))
    if (at === end) return end
    const byte = scanWindow[at]
    if (byte === backslash) this.#state = "in escape"
    else if (byte !== quote) throw this.#unexpected(at)
    else if (this.#isKey) this.#endKey(at + 1)
    else this.#endValue(at + 1)
    return at + 1
  }

  #endKey(end: number): void {
    this.#state = "colon"
    if (this.#depth === 1 && this.#member) this.#member.keyEnd = this.#before + end
  }

  #inEscape(at: number): number {
    const byte = scanWindow[at] ?? 0
    if (byte === 0x75) {
      this.#hexLeft = 4
      this.#state = "in hex"
    } else if (escaped.has(byte)) this.#state = "in string"
    else throw this.#unexpected(at)
    return at + 1
  }

  #inHex(at: number): number {
    if (!isHex(scanWindow[at] ?? 0)) throw this.#unexpected(at)
    if (--this.#hexLeft === 0) this.#state = "in string"
    return at + 1
  }

  #inNumber(from: number, end: number): number {
    for (let at = from; at < end; at++) {
      const step = nextNumberState(this.#number, scanWindow[at] ?? 0)
      if (step === 0) {
        if (!isCompleteNumber[this.#number]) throw this.#unexpected(at)
        this.#endValue(at)
        return at
      }
      this.#number = step
    }
    return end
  }

  #inLiteral(at: number): number {
    if (scanWindow[at] !== this.#literal.charCodeAt(0)) throw this.#unexpected(at)
    this.#literal = this.#literal.slice(1)
    if (this.#literal === "") this.#endValue(at + 1)
    return at + 1
  }

  #unexpected(at: number): Failure {
    const where = `byte ${this.#before + at}`
    return new Failure(
      "invalid_json",
      `The body is not valid JSON: unexpected character at ${where}.`,
    )
  }
}

const isPlain = (byte: number): boolean => byte >= 0x20 && byte !== quote && byte !== backslash
