const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const ownMember = (value: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined

/** The ways to split a path in two, with the longest first part first. */
const splitsOf = (path: string): [first: string, rest: string][] =>
  [...path.matchAll(/\./g)]
    .map(({ index }): [string, string] => [path.slice(0, index), path.slice(index + 1)])
    .toReversed()

const readOfEach = (values: readonly unknown[], path: string): unknown => {
  const found = values.map((value) => readPath(value, path)).filter((value) => value !== undefined)
  return found.length === 0 ? undefined : found.flat()
}

const readPath = (value: unknown, path: string): unknown => {
  if (Array.isArray(value)) return readOfEach(value, path)
  if (!isRecord(value)) return undefined
  const whole = ownMember(value, path)
  if (whole !== undefined) return whole
  for (const [first, rest] of splitsOf(path)) {
    const inner = ownMember(value, first)
    const found = inner === undefined ? undefined : readPath(inner, rest)
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
