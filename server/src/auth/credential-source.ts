import type { IncomingHttpHeaders } from "node:http"

export const cookieName = "token"

const cookieForm = /(?:^|;\s*)token=([^;\s]*)/

export interface Carried {
  secret: string
  /** Which carrier brought it. A browser sends cookies by itself, also for other sites' pages. */
  by: "authorization" | "x-api-key" | "cookie"
}

/** The credential of a request: `Authorization: Bearer`, then `x-api-key`, then the cookie. */
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

/** What keeps our credentials from ever reaching an upstream. */
export const credentialHeaders = ["authorization", "x-api-key", "cookie"] as const
