const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const ownMember = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined

/**
 * Reads a claim by its name, else by a path such as `realm_access.roles`: names of claims may
 * contain dots, as they are often URLs. Undefined if it is missing or null.
 */
export const readClaim = (claims: Record<string, unknown>, name: string): unknown =>
  ownMember(claims, name) ?? name.split(".").reduce<unknown>(ownMember, claims)
