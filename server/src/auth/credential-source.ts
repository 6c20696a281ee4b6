import type { IncomingHttpHeaders } from "node:http"

export const cookieName = "token"

const cookieForm = /(?:^|;\s*)token=([^;\s]*)/

export interface Carried {
  secret: string
  /** Where it was found. Browsers send cookies automatically, even for pages of other sites. */
  by: "authorization" | "x-api-key" | "cookie"
}

/**
 * Extracts a request's credential from, in this order, `Authorization: Bearer`, `x-api-key` and the
 * cookie.
 */
export const carriedCredential = (headers: IncomingHttpHeaders): Carried | null => {
  const { authorization } = headers
  if (authorization !== undefined) {
    const secret = /^bearer +(\S+)\s*$/i.exec(authorization)?.[1]
    return secret === undefined ? null : { secret, by: "authorization" }
  }
  const key = headers["x-api-key"]
  if (typeof key === "string") return { secret: key, by: "x-api-key" }
  const cookie = cookieForm.exec(headers.cookie ?? "")?.[1]
  return cookie ? { secret: cookie, by: "cookie" } : null
}

/** Headers that are never forwarded to an upstream, as they may carry our credentials. */
export const credentialHeaders = ["authorization", "x-api-key", "cookie"] as const
