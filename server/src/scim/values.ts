import { isObject } from "../formats/json-values.ts"
import { attributeNamed, fold, schemaNamed } from "./attribute-paths.ts"
import type { Attribute } from "./attributes.ts"
import { refuse } from "./errors.ts"
import { readBoolean } from "./operands.ts"
import { isKept, type ResourceType } from "./resource-types.ts"

const maxText = 1000
const maxListed = 50

export type Simple = string | boolean
export type Complex = Record<string, Simple>
export type Value = Simple | Complex | Complex[]

/** Attribute values by canonical name; null if unassigned. */
export type Values = Map<string, Value | null>

/** Collects the names of attributes that were sent but not stored, for the audit log. */
export const createIgnored = () => {
  const names = new Set<string>()
  return {
    add: (name: string): void => {
      if (names.size < maxListed) names.add(name.slice(0, 100))
    },
    names: (): string[] => [...names],
  }
}
export type Ignored = ReturnType<typeof createIgnored>

const wrong = ({ name }: Attribute, wanted: string): never =>
  refuse("invalidValue", `${name} must be ${wanted}.`)

/**
 * Unassigned values (RFC 7643 §2.5): null, an empty list or no value; an empty string counts as
 * unassigned too.
 */
export const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length)

const readSimple = (attribute: Attribute, value: unknown): Simple => {
  if (attribute.type === "boolean") return readBoolean(value) ?? wrong(attribute, "true or false")
  if (typeof value !== "string") return wrong(attribute, "a string")
  if (value.length <= maxText) return value
  return wrong(attribute, `a string of at most ${maxText} characters`)
}

/** Entries of an object; keys must be unique ignoring case. @throws {Failure} `invalidSyntax` */
export const entriesOnce = (value: Record<string, unknown>): [string, unknown][] => {
  const entries = Object.entries(value)
  const seen = new Set(entries.map(([key]) => fold(key)))
  if (seen.size < entries.length) {
    refuse(
      "invalidSyntax",
      "An attribute occurs more than once. Attribute names are case-insensitive.",
    )
  }
  return entries
}

export const readComplex = (attribute: Attribute, value: unknown, ignored: Ignored): Complex => {
  if (!isObject(value)) return wrong(attribute, "an object")
  const complex: Complex = {}
  for (const [key, part] of entriesOnce(value)) {
    const sub = attributeNamed(attribute.subAttributes ?? [], key)
    if (isNothing(part) || sub?.mutability === "readOnly") continue
    if (sub && isKept(sub)) complex[sub.name] = readSimple(sub, part)
    else ignored.add(`${attribute.name}.${sub?.name ?? key}`)
  }
  return complex
}

/** @throws {Failure} `tooMany` */
export const noMoreThan = ({ name, max: most }: Attribute, list: readonly unknown[]): void => {
  if (most === undefined || list.length <= most) return
  refuse("tooMany", `${name} has too many values (maximum ${most}).`)
}

/** Parses a list: a string stands for its `value`, a single object for a list of one. */
const readList = (attribute: Attribute, value: unknown, ignored: Ignored): Complex[] => {
  const items = (Array.isArray(value) ? value : [value]).filter((item) => !isNothing(item))
  noMoreThan(attribute, items)
  const list = items.map((item) =>
    readComplex(attribute, typeof item === "string" ? { value: item } : item, ignored),
  )
  return list.filter((item) => Object.keys(item).length > 0)
}

/** Parses the value of a stored attribute; null if unassigned. @throws {Failure} `invalidValue` */
export const readValue = (attribute: Attribute, value: unknown, ignored: Ignored): Value | null => {
  if (isNothing(value)) return null
  if (attribute.multiValued) return readList(attribute, value, ignored)
  if (attribute.type === "complex") return readComplex(attribute, value, ignored)
  return readSimple(attribute, value)
}

export const ignoreSchema = (
  schema: { urn: string; attributes: readonly Attribute[] },
  value: unknown,
  ignored: Ignored,
): void => {
  for (const [key, part] of isObject(value) ? Object.entries(value) : []) {
    const name = attributeNamed(schema.attributes, key)?.name ?? key
    if (!isNothing(part)) ignored.add(`${schema.urn}:${name}`)
  }
}

/** Parses a complete resource, as sent by POST and PUT. @throws {Failure} */
export const readResource = (type: ResourceType, body: unknown, ignored: Ignored): Values => {
  if (!isObject(body)) return refuse("invalidSyntax", `The body must be a ${type.name} object.`)
  const values: Values = new Map()
  for (const [key, value] of entriesOnce(body)) {
    const attribute = attributeNamed(type.attributes, key)
    if (attribute?.mutability === "readOnly") continue
    if (attribute && isKept(attribute)) {
      values.set(attribute.name, readValue(attribute, value, ignored))
    } else ignoreKey(type, { key, attribute, value }, ignored)
  }
  return values
}

const ignoreKey = (
  type: ResourceType,
  { key, attribute, value }: { key: string; attribute: Attribute | undefined; value: unknown },
  ignored: Ignored,
): void => {
  if (isNothing(value)) return
  const attributes = attribute ? undefined : schemaNamed(type, key)
  if (attributes) ignoreSchema({ urn: key, attributes }, value, ignored)
  else ignored.add(attribute?.name ?? key)
}
