/**
 * Default headers of responses: they are private, so no cache may store them, and browsers must not
 * guess another type. What may be cached, such as the files of the page, sets its own.
 */
export const privateHeaders = {
  "cache-control": "private, no-store",
  "x-content-type-options": "nosniff",
} as const

const defaults = Object.entries(privateHeaders)

/** Adds those that are missing. @param headers alternates lower-case names and values */
export const addPrivateHeaders = (headers: string[]): void => {
  for (const [name, value] of defaults) if (!headers.includes(name)) headers.push(name, value)
}
