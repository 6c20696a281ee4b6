/**
 * Default headers of responses: they are private, so no cache may store them, and browsers must not
 * guess another type. What may be cached, such as the files of the page, sets its own.
 */
export const privateHeaders = {
  "cache-control": "private, no-store",
  "x-content-type-options": "nosniff",
} as const

const defaults = Object.entries(privateHeaders)

/** @param headers alternates lower-case names and values; a value may be the name of a header */
export const hasHeader = (headers: readonly string[], name: string): boolean => {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return true
  return false
}

/** Adds those that are missing. @param headers alternates lower-case names and values */
export const addPrivateHeaders = (headers: string[]): void => {
  for (const [name, value] of defaults) if (!hasHeader(headers, name)) headers.push(name, value)
}
