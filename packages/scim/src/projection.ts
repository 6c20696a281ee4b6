import { findAttribute, resolveAttributePath } from "./attribute-paths.ts"
import { ChunkedReferences } from "./chunked-references.ts"
import { failScim } from "./errors.ts"
import { isObject, type ScimJson } from "./json-values.ts"
import type { ResourceType, ScimAttribute } from "./resource-type.ts"

/** Attributes of a response: `only` these, or all `except` these; also `name.sub`. */
export interface Projection {
  only: readonly string[] | null
  except: readonly string[]
}

/** @throws {ScimError} `invalidValue` if both are given */
export const parseProjection = (
  attributes: readonly string[],
  excludedAttributes: readonly string[],
): Projection => {
  if (attributes.length > 0 && excludedAttributes.length > 0) {
    failScim("invalidValue", "Send either attributes or excludedAttributes, not both.")
  }
  return { only: attributes.length > 0 ? attributes : null, except: excludedAttributes }
}

/** Selected sub-attributes by attribute, or "all". Unknown names are ignored. */
const selectAttributes = (
  type: ResourceType,
  names: readonly string[],
): Map<string, Set<string> | "all"> => {
  const selected = new Map<string, Set<string> | "all">()
  for (const name of names) {
    const path = resolveAttributePath(type, name.trim())
    if (!path) continue
    const { attribute, sub } = path
    const known = selected.get(attribute.name)
    if (!sub || known === "all") selected.set(attribute.name, "all")
    else selected.set(attribute.name, new Set(known).add(sub.name))
  }
  return selected
}

const pickSubAttributes = (value: unknown, keep: (name: string) => boolean): unknown => {
  if (Array.isArray(value)) return value.map((item) => pickSubAttributes(item, keep))
  if (value instanceof ChunkedReferences) return value.pick(keep)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => keep(name)))
}

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0

/** Whether the response includes attribute `name`; excluded attributes are not even read. */
export const includesAttribute = (
  type: ResourceType,
  projection: Projection,
  name: string,
): boolean => {
  if (projection.only) return selectAttributes(type, projection.only).has(name)
  return selectAttributes(type, projection.except).get(name) !== "all"
}

/** Whether a sub-attribute with `returned: "request"` was requested by name. */
export const requestsSubAttribute = (
  type: ResourceType,
  { only }: Projection,
  [name, part]: readonly [string, string],
): boolean => {
  const selected = only && selectAttributes(type, only).get(name)
  return selected instanceof Set && selected.has(part)
}

/** Reduces a resource to the requested attributes. */
export const createProjector = (type: ResourceType, { only, except }: Projection) => {
  const included = only && selectAttributes(type, only)
  const excluded = selectAttributes(type, except)

  const cut = (attribute: ScimAttribute, value: unknown): unknown => {
    if (attribute.returned === "always") return value
    const selected = included?.get(attribute.name)
    if (included && selected === undefined) return undefined
    if (selected instanceof Set) return pickSubAttributes(value, (name) => selected.has(name))
    const dropped = excluded.get(attribute.name)
    if (dropped === "all") return undefined
    return dropped ? pickSubAttributes(value, (name) => !dropped.has(name)) : value
  }

  return (resource: ScimJson): ScimJson => {
    const entries = Object.entries(resource).map(([name, value]): [string, unknown] => {
      const attribute = findAttribute(type.attributes, name)
      return [name, attribute && cut(attribute, value)]
    })
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined && !isEmpty(value)))
  }
}
