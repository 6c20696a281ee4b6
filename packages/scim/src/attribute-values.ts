import { findAttribute, findSchemaAttributes, foldAttributeName } from "./attribute-paths.ts"
import { failScim } from "./errors.ts"
import { parseBoolean } from "./filter-operands.ts"
import type { IgnoredAttributes } from "./ignored-attributes.ts"
import { isObject } from "./json-values.ts"
import { isStoredAttribute, type ResourceType, type ScimAttribute } from "./resource-type.ts"

const maxTextLength = 1000

export type SimpleValue = string | boolean
export type ComplexValue = Record<string, SimpleValue>
export type AttributeValue = SimpleValue | ComplexValue | ComplexValue[]

/** Attribute values by canonical name; null if unassigned. */
export type AttributeValues = Map<string, AttributeValue | null>

const failValue = ({ name }: ScimAttribute, expected: string): never =>
  failScim("invalidValue", `${name} must be ${expected}.`)

/** Whether a value counts as unassigned (RFC 7643 §2.5), as an empty string does too. */
export const isUnassigned = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length)

/** Some clients send 0 or 1, or a list of one value. */
const parseLenientBoolean = (value: unknown): boolean | undefined => {
  if (value === 0 || value === 1) return value === 1
  const [only, ...more] = Array.isArray(value) ? value : [value]
  if (more.length > 0) return undefined
  return parseBoolean(isObject(only) ? only.value : only) ?? undefined
}

const parseSimple = (attribute: ScimAttribute, sent: unknown): SimpleValue => {
  if (attribute.type === "boolean")
    return parseLenientBoolean(sent) ?? failValue(attribute, "true or false")
  const isNumber = attribute.acceptsNumbers && Number.isSafeInteger(sent)
  const value = isNumber ? String(sent) : sent
  if (typeof value !== "string") return failValue(attribute, "a string")
  if (value.length <= maxTextLength) return value
  return failValue(attribute, `a string of at most ${maxTextLength} characters`)
}

/** Entries of an object; keys must be unique ignoring case. @throws {ScimError} `invalidSyntax` */
export const requireUniqueEntries = (value: Record<string, unknown>): [string, unknown][] => {
  const entries = Object.entries(value)
  const seen = new Set(entries.map(([key]) => foldAttributeName(key)))
  if (seen.size < entries.length) {
    failScim(
      "invalidSyntax",
      "An attribute occurs more than once. Attribute names are case-insensitive.",
    )
  }
  return entries
}

export const parseComplex = (
  attribute: ScimAttribute,
  value: unknown,
  ignored: IgnoredAttributes,
): ComplexValue => {
  if (!isObject(value)) return failValue(attribute, "an object")
  const complex: ComplexValue = {}
  for (const [key, part] of requireUniqueEntries(value)) {
    const sub = findAttribute(attribute.subAttributes ?? [], key)
    if (isUnassigned(part) || sub?.mutability === "readOnly") continue
    if (sub && isStoredAttribute(sub)) complex[sub.name] = parseSimple(sub, part)
    else ignored.add(`${attribute.name}.${sub?.name ?? key}`)
  }
  return complex
}

/** @throws {ScimError} `tooMany` */
export const checkValueCount = (
  { name, maxValues }: ScimAttribute,
  list: readonly unknown[],
): void => {
  if (maxValues === undefined || list.length <= maxValues) return
  failScim("tooMany", `${name} has too many values (maximum ${maxValues}).`)
}

/** Parses a list: a string stands for its `value`, a single object for a list of one. */
const parseList = (
  attribute: ScimAttribute,
  value: unknown,
  ignored: IgnoredAttributes,
): ComplexValue[] => {
  const items = (Array.isArray(value) ? value : [value]).filter((item) => !isUnassigned(item))
  checkValueCount(attribute, items)
  const list = items.map((item) =>
    parseComplex(attribute, typeof item === "string" ? { value: item } : item, ignored),
  )
  return list.filter((item) => Object.keys(item).length > 0)
}

/** Parses the value of a stored attribute; null if unassigned. @throws {ScimError} `invalidValue` */
export const parseValue = (
  attribute: ScimAttribute,
  value: unknown,
  ignored: IgnoredAttributes,
): AttributeValue | null => {
  if (isUnassigned(value)) return null
  if (attribute.multiValued) return parseList(attribute, value, ignored)
  if (attribute.type === "complex") return parseComplex(attribute, value, ignored)
  return parseSimple(attribute, value)
}

export const recordIgnoredSchema = (
  schema: { urn: string; attributes: readonly ScimAttribute[] },
  value: unknown,
  ignored: IgnoredAttributes,
): void => {
  for (const [key, part] of isObject(value) ? Object.entries(value) : []) {
    const name = findAttribute(schema.attributes, key)?.name ?? key
    if (!isUnassigned(part)) ignored.add(`${schema.urn}:${name}`)
  }
}

/** Parses a complete resource, as sent by POST and PUT. @throws {ScimError} */
export const parseResource = (
  type: ResourceType,
  body: unknown,
  ignored: IgnoredAttributes,
): AttributeValues => {
  if (!isObject(body)) return failScim("invalidSyntax", `The body must be a ${type.name} object.`)
  const values: AttributeValues = new Map()
  for (const [key, value] of requireUniqueEntries(body)) {
    const attribute = findAttribute(type.attributes, key)
    if (attribute?.mutability === "readOnly") continue
    if (attribute && isStoredAttribute(attribute)) {
      values.set(attribute.name, parseValue(attribute, value, ignored))
    } else recordIgnoredKey(type, { key, attribute, value }, ignored)
  }
  return values
}

const recordIgnoredKey = (
  type: ResourceType,
  { key, attribute, value }: { key: string; attribute: ScimAttribute | undefined; value: unknown },
  ignored: IgnoredAttributes,
): void => {
  if (isUnassigned(value)) return
  const attributes = attribute ? undefined : findSchemaAttributes(type, key)
  if (attributes) recordIgnoredSchema({ urn: key, attributes }, value, ignored)
  else ignored.add(attribute?.name ?? key)
}
