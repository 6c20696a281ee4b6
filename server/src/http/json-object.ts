import { isUtf8 } from "node:buffer"
import { fail } from "../errors.ts"
import { isObject } from "../formats/json-values.ts"
import { maxDepth, parseJsonBody } from "./body.ts"
import { type BodyLimits, type JsonBody, smallBodyBytes } from "./body-buffer.ts"
import { type JsonMember, keyAt, readMembers, rejectDuplicateMembers } from "./json-members.ts"
import { JsonScanner, type ScannedMember, tooManyMembers } from "./json-scanner.ts"

/** Of the outermost object; those of real requests are a few dozen. */
const maxMembers = 1000
/** Arrays of token ids are the longest that are sent on. */
const maxValues = 2_000_000
/** Of one field of a large body that the gateway itself reads. */
const maxFieldBytes = 1_000_000

/** Of bodies whose outermost members are looked at one by one, the rest sent on as it came. */
export const jsonLimitsFor = (maxBytes: number): BodyLimits => ({
  maxBytes,
  maxDepth,
  maxMembers,
  maxValues,
})

/** A JSON object whose outermost members are looked at one by one. */
export interface JsonObject {
  bytes: Buffer
  members: readonly JsonMember[]
  /** Those of a large body are parsed when they are first asked for. */
  fields: Record<string, unknown>
  /** What a member of a large body is made of, by key; null for a small one. */
  scanned: ReadonlyMap<string, ScannedMember> | null
}

/** No other value begins with it. */
const letterN = 0x6e

const lazyFields = (bytes: Buffer, found: readonly JsonMember[]): Record<string, unknown> => {
  const fields = {}
  for (const { key, valueStart, valueEnd } of found) {
    let value: unknown
    const get = (): unknown => {
      if (valueEnd - valueStart > maxFieldBytes) {
        const message = `The field "${key}" is too large (maximum ${maxFieldBytes} bytes).`
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
  return { bytes, members: named, fields: lazyFields(bytes, named), scanned }
}

const fromText = (body: JsonBody): JsonObject => {
  const fields = parseJsonBody(body)
  if (!isObject(fields)) return fail("invalid_json", "The body must be a JSON object.")
  const found = readMembers(body.bytes)
  if (found.length > maxMembers) throw tooManyMembers({ maxMembers })
  return { bytes: body.bytes, members: found, fields, scanned: null }
}

/** @throws {Failure} `invalid_json`, `duplicate_parameter` or `bad_request` */
export const parseJsonObject = (body: JsonBody): JsonObject => {
  const object = body.scan ? fromScan(body.bytes, body.scan.members) : fromText(body)
  rejectDuplicateMembers(object.members)
  return object
}

/** As if `bytes` had been read as a body. @throws {Failure} */
export const toJsonBody = (bytes: Buffer): JsonBody => {
  if (bytes.length <= smallBodyBytes) return { bytes, scan: null }
  const scanner = new JsonScanner(jsonLimitsFor(bytes.length))
  scanner.write(bytes)
  return { bytes, scan: scanner.end() }
}

/** Of a large body that the gateway has to parse whole, for files, filters and functions. */
const maxParsedBytes = 16_000_000

/** Bodies that only pass may be larger. @throws {Failure} `body_too_large` */
export const checkParsableSize = ({ length }: Buffer): void => {
  if (length <= maxParsedBytes) return
  const max = `${maxParsedBytes} bytes, which is the most accepted`
  fail(
    "body_too_large",
    `The body is too large for a request with files, filters or functions (maximum ${max}).`,
  )
}

/** The same object with all its fields parsed. @throws {Failure} `body_too_large` */
export const parseAllFields = <T extends JsonObject>(object: T): T => {
  if (!object.scanned) return object
  checkParsableSize(object.bytes)
  return { ...object, fields: JSON.parse(object.bytes.toString("utf8")), scanned: null }
}

/** Whether a member is there, and not null. */
export const hasMember = ({ bytes, fields, scanned }: JsonObject, key: string): boolean => {
  if (!scanned) return (fields[key] ?? null) !== null
  const member = scanned.get(key)
  return member !== undefined && bytes[member.valueStart] !== letterN
}

/** How many elements an array has and how many of them are objects; null where it is no array. */
export const countElements = (
  { bytes, fields, scanned }: JsonObject,
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
