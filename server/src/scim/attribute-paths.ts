import type { Attribute } from "./attributes.ts"
import type { ResourceType } from "./resource-types.ts"

/** An attribute, optionally with one of its sub-attributes. */
export interface AttributePath {
  attribute: Attribute
  sub?: Attribute | undefined
}

export const fold = (name: string): string => name.toLowerCase()

const indexes = new WeakMap<readonly Attribute[], Map<string, Attribute>>()

/** Finds an attribute by name, ignoring case. */
export const attributeNamed = (
  attributes: readonly Attribute[],
  name: string,
): Attribute | undefined => {
  let index = indexes.get(attributes)
  if (!index) {
    index = new Map(attributes.map((attribute) => [fold(attribute.name), attribute]))
    indexes.set(attributes, index)
  }
  return index.get(fold(name))
}

/** The attributes of the schema whose URN prefixes `text`, and the rest of the path. */
const splitUrn = (
  type: ResourceType,
  text: string,
): { attributes: readonly Attribute[]; rest: string } | undefined => {
  const known = [[type.schema, type.attributes] as const, ...Object.entries(type.extensions)]
  for (const [urn, attributes] of known) {
    if (fold(text).startsWith(`${fold(urn)}:`))
      return { attributes, rest: text.slice(urn.length + 1) }
  }
  return undefined
}

/** The attributes of the schema whose URN is exactly `text`. */
export const schemaNamed = (type: ResourceType, text: string): readonly Attribute[] | undefined => {
  if (fold(text) === fold(type.schema)) return type.attributes
  const extension = Object.keys(type.extensions).find((urn) => fold(urn) === fold(text))
  return extension === undefined ? undefined : type.extensions[extension]
}

/**
 * Resolves `name` or `name.sub`, optionally prefixed by a schema URN. Undefined if no schema
 * defines it.
 */
export const resolvePath = (type: ResourceType, text: string): AttributePath | undefined => {
  const split = fold(text).startsWith("urn:")
    ? splitUrn(type, text)
    : { attributes: type.attributes, rest: text }
  if (!split) return undefined
  const [name = "", subName, ...more] = split.rest.split(".")
  const attribute = attributeNamed(split.attributes, name)
  if (!attribute || more.length > 0) return undefined
  if (subName === undefined) return { attribute }
  const sub = attributeNamed(attribute.subAttributes ?? [], subName)
  return sub && { attribute, sub }
}
