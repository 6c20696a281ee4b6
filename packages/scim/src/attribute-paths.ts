import type { ResourceType, ScimAttribute } from "./resource-type.ts"

/** An attribute, optionally with one of its sub-attributes. */
export interface AttributePath {
  attribute: ScimAttribute
  sub?: ScimAttribute | undefined
}

export const foldAttributeName = (name: string): string => name.toLowerCase()

const indexes = new WeakMap<readonly ScimAttribute[], Map<string, ScimAttribute>>()

/** Finds an attribute by name, ignoring case. */
export const findAttribute = (
  attributes: readonly ScimAttribute[],
  name: string,
): ScimAttribute | undefined => {
  let index = indexes.get(attributes)
  if (!index) {
    index = new Map(attributes.map((attribute) => [foldAttributeName(attribute.name), attribute]))
    indexes.set(attributes, index)
  }
  return index.get(foldAttributeName(name))
}

/** The attributes of the schema whose URN prefixes `text`, and the rest of the path. */
const splitUrn = (
  type: ResourceType,
  text: string,
): { attributes: readonly ScimAttribute[]; rest: string } | undefined => {
  const known = [[type.schema, type.attributes] as const, ...Object.entries(type.extensions)]
  for (const [urn, attributes] of known) {
    if (foldAttributeName(text).startsWith(`${foldAttributeName(urn)}:`))
      return { attributes, rest: text.slice(urn.length + 1) }
  }
  return undefined
}

/** The attributes of the schema whose URN is exactly `text`. */
export const findSchemaAttributes = (
  type: ResourceType,
  text: string,
): readonly ScimAttribute[] | undefined => {
  if (foldAttributeName(text) === foldAttributeName(type.schema)) return type.attributes
  const extension = Object.keys(type.extensions).find(
    (urn) => foldAttributeName(urn) === foldAttributeName(text),
  )
  return extension === undefined ? undefined : type.extensions[extension]
}

/**
 * Resolves `name` or `name.sub`, optionally prefixed by a schema URN. Undefined if no schema
 * defines it.
 */
export const resolveAttributePath = (
  type: ResourceType,
  text: string,
): AttributePath | undefined => {
  const split = foldAttributeName(text).startsWith("urn:")
    ? splitUrn(type, text)
    : { attributes: type.attributes, rest: text }
  if (!split) return undefined
  const [name = "", subName, ...more] = split.rest.split(".")
  const attribute = findAttribute(split.attributes, name)
  if (!attribute || more.length > 0) return undefined
  if (subName === undefined) return { attribute }
  const sub = findAttribute(attribute.subAttributes ?? [], subName)
  return sub && { attribute, sub }
}
