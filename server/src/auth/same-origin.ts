import type { IncomingHttpHeaders } from "node:http"

/**
 * Whether a request may use the cookie, sign in or sign up: it was not sent by a browser, or by one
 * showing one of our pages. Trusts `Host`, which `http/host-check.ts` validates on loopback
 * addresses.
 * @param publicOrigin PUBLIC_URL, which is an origin; the request's own host is always allowed
 */
export const isSameOrigin = (
  headers: IncomingHttpHeaders,
  publicOrigin: string | undefined,
): boolean => {
  const { origin, host } = headers
  const site = headers["sec-fetch-site"]
  // Set by the browser; pages cannot forge it.
  if (site === "same-origin") return true
  if (origin === undefined) return site !== "cross-site"
  return origin === publicOrigin || (URL.canParse(origin) && new URL(origin).host === host)
}
