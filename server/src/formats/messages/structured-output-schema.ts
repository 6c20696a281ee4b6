import { fail } from "../../errors.ts"
import { type Fields, isObject, ownValue } from "../json-values.ts"

/** Deeper than any schema that a grammar can be made of. */
const maxDepth = 100

const isPrimitive = (value: unknown): boolean => typeof value !== "object" || value === null

type ConvertSchema = (schema: unknown) => unknown
/** @returns undefined if the API does not accept the keyword with this value */
type ConvertKeyword = (value: unknown, convert: ConvertSchema) => unknown

const keep: ConvertKeyword = (value) => value
const keepIf =
  (isAccepted: (value: unknown) => boolean): ConvertKeyword =>
  (value) =>
    isAccepted(value) ? value : undefined
const convertMap: ConvertKeyword = (value, convert) =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, convert(schema)]))
    : undefined
const convertList: ConvertKeyword = (value, convert) =>
  Array.isArray(value) ? value.map(convert) : undefined

const formats = new Set<unknown>([
  ...["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
])

const keywords: Record<string, ConvertKeyword> = {
  ...{ type: keep, title: keep, default: keep, required: keep, $ref: keep },
  description: keepIf((value) => typeof value === "string"),
  enum: keepIf((value) => Array.isArray(value) && value.every(isPrimitive)),
  const: keepIf(isPrimitive),
  format: keepIf((value) => formats.has(value)),
  minItems: keepIf((value) => value === 0 || value === 1),
  items: (value, convert) => (isObject(value) ? convert(value) : undefined),
  ...{ properties: convertMap, $defs: convertMap, definitions: convertMap },
  ...{ anyOf: convertList, allOf: convertList },
}

/** Keywords that constrain nothing; an object that allows other properties is closed. */
const ignored = new Set(["$schema", "$id", "$comment"])
const isIgnored = (name: string, value: unknown): boolean =>
  ignored.has(name) || (name === "additionalProperties" && !isObject(value))

/** The accepted members of a schema, and the others. */
const splitMembers = (schema: Fields, convert: ConvertSchema) => {
  const kept: [string, unknown][] = []
  const removed: [string, unknown][] = []
  for (const [written, value] of Object.entries(schema)) {
    // At most one of the schemas applies, which an answer that matches any of them usually fulfills.
    const name = written === "oneOf" && !("anyOf" in schema) ? "anyOf" : written
    const converted = ownValue(keywords, name)?.(value, convert)
    if (converted !== undefined) kept.push([name, converted])
    else if (!isIgnored(name, value)) removed.push([written, value])
  }
  return { kept, removed }
}

/** Keywords that a schema lacks, as a text for the model. */
export const describeKeywords = (removed: readonly [string, unknown][]): string =>
  removed.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ")

const isObjectSchema = ({ type, properties }: Fields): boolean =>
  type === "object" ||
  (Array.isArray(type) && type.includes("object")) ||
  (type === undefined && isObject(properties))

const convertSchema = (schema: unknown, depth: number): unknown => {
  if (!isObject(schema)) return schema === true ? {} : schema
  if (depth > maxDepth) {
    const message = `A JSON schema may be nested at most ${maxDepth} levels deep.`
    return fail("bad_request", message)
  }
  const { kept, removed } = splitMembers(schema, (inner) => convertSchema(inner, depth + 1))
  const members = Object.fromEntries(kept)
  // Nothing besides definitions may accompany a reference.
  if ("$ref" in members) {
    return Object.fromEntries(
      kept.filter(([name]) => ["$ref", "$defs", "definitions"].includes(name)),
    )
  }
  const description = [members.description, describeKeywords(removed)].filter(Boolean).join("\n\n")
  return {
    ...members,
    ...(description !== "" && { description }),
    ...(isObjectSchema(schema) && { type: schema.type ?? "object", additionalProperties: false }),
  }
}

/**
 * Converts a JSON schema to what Anthropic's API accepts for structured output and strict tools:
 * constraints that it refuses become part of descriptions, and objects have no other properties.
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 * @throws {Failure} `bad_request` if it is nested too deeply
 */
export const toStructuredSchema = (schema: unknown): unknown => convertSchema(schema, 0)
