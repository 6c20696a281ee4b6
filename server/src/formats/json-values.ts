/** The members of a JSON object whose types are not known. */
export type Fields = Record<string, unknown>

/** Whether a parsed JSON value is an object: neither an array nor null. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value if it is a string, else "". */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
