import { attributeNamed, resolvePath } from "./attribute-paths.ts"
import type { Attribute } from "./attributes.ts"
import { refuse } from "./errors.ts"
import { MemberList } from "./reference-list.ts"
import type { ResourceType } from "./resource-types.ts"

/** A resource as JSON. */
export type Json = Record<string, unknown>

/**
 * Attributes of a response: `only` these, or all `except` these. Names may include a sub-attribute.
 */
export interface Projection {
  only: readonly string[] | null
  except: readonly string[]
}

export const everything: Projection = { only: null, except: [] }

/** @throws {Failure} `invalidValue` if both are given */
export const readProjection = (
  attributes: readonly string[],
  excludedAttributes: readonly string[],
): Projection => {
  if (attributes.length > 0 && excludedAttributes.length > 0) {
    refuse("invalidValue", "Send either attributes or excludedAttributes, not both.")
  }
  return { only: attributes.length > 0 ? attributes : null, except: excludedAttributes }
}

/** Selected sub-attributes by attribute, or "all". Unknown names are ignored. */
const select = (type: ResourceType, names: readonly string[]): Map<string, Set<string> | "all"> => {
  const chosen = new Map<string, Set<string> | "all">()
  for (const name of names) {
    const path = resolvePath(type, name.trim())
    if (!path) continue
    const { attribute, sub } = path
    const known = chosen.get(attribute.name)
    if (!sub || known === "all") chosen.set(attribute.name, "all")
    else chosen.set(attribute.name, new Set(known).add(sub.name))
  }
  return chosen
}

const parts = (value: unknown, keep: (name: string) => boolean): unknown => {
  if (Array.isArray(value)) return value.map((item) => parts(item, keep))
  if (value instanceof MemberList) return value.only(keep)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => keep(name)))
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length === 0

/** Whether the response includes attribute `name`; excluded attributes are not even read. */
export const wants = (type: ResourceType, projection: Projection, name: string): boolean => {
  if (projection.only) return select(type, projection.only).has(name)
  return select(type, projection.except).get(name) !== "all"
}

/** Whether a sub-attribute with `returned: "request"` was requested by name. */
export const requests = (
  type: ResourceType,
  { only }: Projection,
  [name, part]: readonly [string, string],
): boolean => {
  const chosen = only && select(type, only).get(name)
  return chosen instanceof Set && chosen.has(part)
}

/** Reduces a resource to the requested attributes. */
export const createProjector = (type: ResourceType, { only, except }: Projection) => {
  const wanted = only && select(type, only)
  const unwanted = select(type, except)

  const cut = (attribute: Attribute, value: unknown): unknown => {
    if (attribute.returned === "always") return value
    const chosen = wanted?.get(attribute.name)
    if (wanted && chosen === undefined) return undefined
    if (chosen instanceof Set) return parts(value, (name) => chosen.has(name))
    const dropped = unwanted.get(attribute.name)
    if (dropped === "all") return undefined
    return dropped ? parts(value, (name) => !dropped.has(name)) : value
  }

  return (resource: Json): Json => {
    const entries = Object.entries(resource).map(([name, value]): [string, unknown] => {
      const attribute = attributeNamed(type.attributes, name)
      return [name, attribute && cut(attribute, value)]
    })
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined && !isEmpty(value)))
  }
}
