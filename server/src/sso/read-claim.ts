import { isObject } from "../formats/json-values.ts"

/**
 * The members that a path names or continues in, with the longest name first. Compares names
 * instead of splitting the path, so that a lookup takes time in proportion to the claims.
 */
const membersOn = (value: Record<string, unknown>, path: string): string[] =>
  Object.keys(value)
    .filter((name) => name === path || path.startsWith(`${name}.`))
    .toSorted((one, other) => other.length - one.length)

const readOfEach = (values: readonly unknown[], path: string): unknown => {
  const found = values.map((value) => readPath(value, path)).filter((value) => value !== undefined)
  return found.length === 0 ? undefined : found.flat()
}

const readPath = (value: unknown, path: string): unknown => {
  if (Array.isArray(value)) return readOfEach(value, path)
  if (!isObject(value)) return undefined
  for (const name of membersOn(value, path)) {
    const inner = value[name] ?? undefined
    const found = name === path ? inner : readPath(inner, path.slice(name.length + 1))
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Reads a claim by its name, else by a path such as `realm_access.roles`: names of claims, and of
 * their members, may contain dots, as they are often URLs. A path through a list, such as
 * `groups.name`, reads each of its objects. Undefined if it is missing or null.
 */
export const readClaim = (claims: Record<string, unknown>, name: string): unknown =>
  readPath(claims, name)
