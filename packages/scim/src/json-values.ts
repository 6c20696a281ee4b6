/** A resource as JSON. */
export type ScimJson = Record<string, unknown>

/** Whether a parsed JSON value is an object: neither an array nor null. */
export const isObject = (value: unknown): value is ScimJson =>
  typeof value === "object" && value !== null && !Array.isArray(value)
