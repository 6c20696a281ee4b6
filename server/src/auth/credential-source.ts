import type { IncomingHttpHeaders } from "node:http"

export const sessionCookieName = "token"

const cookiePattern = /(?:^|;\s*)token=([^;\s]*)/

export interface RequestCredential {
  secret: string
  /** Where it was found. Browsers send cookies automatically, even for pages of other sites. */
  source: "authorization" | "x-api-key" | "cookie"
}

/**
 * Extracts a request's credential from, in this order, `Authorization: Bearer`, `x-api-key` and the
 * cookie.
 */
export const extractCredential = (headers: IncomingHttpHeaders): RequestCredential | null => {
  const { authorization } = headers
  if (authorization !== undefined) {
    const secret = /^bearer +(\S+)\s*$/i.exec(authorization)?.[1]
    return secret === undefined ? null : { secret, source: "authorization" }
  }
  const key = headers["x-api-key"]
  if (typeof key === "string") return { secret: key, source: "x-api-key" }
  const cookie = cookiePattern.exec(headers.cookie ?? "")?.[1]
  return cookie ? { secret: cookie, source: "cookie" } : null
}

/** Headers that are never forwarded to an upstream, as they may carry our credentials. */
export const credentialHeaders = ["authorization", "x-api-key", "cookie"] as const
