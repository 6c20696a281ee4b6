import { isUtf8 } from "node:buffer"
import { fail } from "../errors.ts"
import { type Fields, isObject } from "../formats/json-values.ts"
import { maxDepth, parseJsonBody } from "./body.ts"
import { type BodyLimits, type JsonBody, smallBodyBytes } from "./body-buffer.ts"
import { tooManyMembers } from "./json-limits.ts"
import { type JsonMember, keyAt, readMembers, rejectDuplicateMembers } from "./json-members.ts"
import { JsonScanner, type ScannedMember } from "./json-scanner.ts"

/** Maximum of top-level members; real requests have a few dozen. */
const maxMembers = 1000
/** Allows for arrays of token ids, the longest arrays in real requests. */
const maxValues = 2_000_000
/** Far more than in schemas of real tools. Whoever parses an object pays most for its keys. */
const maxNestedMembers = 10_000
/** Maximum of a body that must be parsed completely, because it is converted or changed. */
const maxParsedBytes = 16_000_000
/** Maximum of one field of a large body that the gateway itself reads, unless it is a text. */
const maxFieldBytes = 1_000_000

/** Limits for a body of which single members are read and the rest is forwarded as sent. */
export const jsonLimitsFor = (maxBytes: number): BodyLimits => ({
  maxBytes,
  maxDepth,
  maxMembers,
  maxValues,
  maxNestedMembers,
})

/** A JSON object whose top-level members can be read and replaced individually. */
export interface JsonObject {
  bytes: Buffer
  members: readonly JsonMember[]
  /** Fields of a large body are parsed on first access, which throws `body_too_large`. */
  fields: Record<string, unknown>
  /** Scanned members of a large body by key; null for a small one, whose fields are parsed. */
  scanned: ReadonlyMap<string, ScannedMember> | null
}

/** First byte of `null`; no other JSON value starts with it. */
const letterN = 0x6e
const quote = 0x22

const lazyFields = (bytes: Buffer, found: readonly JsonMember[]): Record<string, unknown> => {
  const fields = {}
  for (const { key, valueStart, valueEnd } of found) {
    let value: unknown
    const get = (): unknown => {
      const max = bytes[valueStart] === quote ? maxParsedBytes : maxFieldBytes
      if (valueEnd - valueStart > max) {
        const message = `The field "${key}" is too large (maximum ${max} bytes).`
        fail("body_too_large", message, { param: key })
      }
      value ??= JSON.parse(bytes.toString("utf8", valueStart, valueEnd))
      return value
    }
    Object.defineProperty(fields, key, { enumerable: true, get })
  }
  return fields
}

const fromScan = (bytes: Buffer, found: readonly ScannedMember[] | null): JsonObject => {
  if (!isUtf8(bytes)) fail("invalid_json", "The body is not valid UTF-8.")
  if (!found) return fail("invalid_json", "The body must be a JSON object.")
  const scanned = new Map(found.map((one) => [keyAt(bytes, one.start, one.keyEnd), one]))
  const named = found.map((one) => ({ ...one, key: keyAt(bytes, one.start, one.keyEnd) }))
  rejectDuplicateMembers(named)
  return { bytes, members: named, fields: lazyFields(bytes, named), scanned }
}

const fromText = (body: JsonBody): JsonObject => {
  const fields = parseJsonBody(body)
  if (!isObject(fields)) return fail("invalid_json", "The body must be a JSON object.")
  const found = readMembers(body.bytes)
  if (found.length > maxMembers) throw tooManyMembers({ maxMembers })
  rejectDuplicateMembers(found)
  return { bytes: body.bytes, members: found, fields, scanned: null }
}

/** @throws {Failure} `invalid_json`, `duplicate_parameter` or `bad_request` */
export const parseJsonObject = (body: JsonBody): JsonObject =>
  body.scan ? fromScan(body.bytes, body.scan.members) : fromText(body)

/**
 * Treats `bytes` like a received body: a large one is scanned.
 * @throws {Failure} `invalid_json`, `bad_request` or `body_too_large`
 */
export const toJsonBody = (bytes: Buffer): JsonBody => {
  if (bytes.length <= smallBodyBytes) return { bytes, scan: null }
  const scanner = new JsonScanner(jsonLimitsFor(bytes.length))
  scanner.write(bytes)
  return { bytes, scan: scanner.end() }
}

/**
 * @returns the same bytes
 * @throws {Failure} `body_too_large`; bodies that are only forwarded may be larger
 */
export const checkParsableSize = (bytes: Buffer): Buffer => {
  if (bytes.length <= maxParsedBytes) return bytes
  const max = `${maxParsedBytes} bytes`
  return fail(
    "body_too_large",
    `The body is too large for a request with files, filters or functions (maximum ${max}).`,
  )
}

/** The fields of an object, all of them parsed. @throws {Failure} `body_too_large` */
export const parseAllFields = ({ bytes, fields, scanned }: JsonObject): Fields => {
  if (!scanned) return fields
  return JSON.parse(checkParsableSize(bytes).toString("utf8"))
}

/** Whether a member exists and is not null; does not parse it. */
export const hasMember = ({ bytes, fields, scanned }: JsonObject, key: string): boolean => {
  if (!scanned) return (fields[key] ?? null) !== null
  const member = scanned.get(key)
  return member !== undefined && bytes[member.valueStart] !== letterN
}

/** Number of elements of an array, and of objects among them; null if it is not an array. */
export const countElements = (
  { bytes, fields, scanned }: Omit<JsonObject, "members">,
  key: string,
): { elements: number; objects: number } | null => {
  if (scanned) {
    const member = scanned.get(key)
    return member && bytes[member.valueStart] === 0x5b ? member : null
  }
  const value = fields[key]
  if (!Array.isArray(value)) return null
  return { elements: value.length, objects: value.filter(isObject).length }
}
