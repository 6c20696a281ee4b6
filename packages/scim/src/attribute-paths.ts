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

const schemasOf = (type: ResourceType): [urn: string, attributes: readonly ScimAttribute[]][] => [
  [type.schema, type.attributes],
  ...Object.entries(type.extensions),
]

/** The attributes of the schema whose URN prefixes `text`, and the rest of the path. */
const splitUrn = (type: ResourceType, text: string) => {
  const folded = foldAttributeName(text)
  const found = schemasOf(type).find(([urn]) => folded.startsWith(`${foldAttributeName(urn)}:`))
  return found && { attributes: found[1], rest: text.slice(found[0].length + 1) }
}

/** The attributes of the schema whose URN is exactly `text`. */
export const findSchemaAttributes = (
  type: ResourceType,
  text: string,
): readonly ScimAttribute[] | undefined =>
  schemasOf(type).find(([urn]) => foldAttributeName(urn) === foldAttributeName(text))?.[1]

/** Resolves `name` or `name.sub`, with or without a schema URN; undefined if no schema has it. */
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
