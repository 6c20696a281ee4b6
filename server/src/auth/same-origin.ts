import type { IncomingHttpHeaders } from "node:http"

/**
 * Whether a request may use the cookie, sign in or sign up: not sent by a browser, or by one that
 * shows a page of ours. Trusts `Host`, which `http/host-check.ts` checks on loopback addresses.
 * @param publicOrigin of PUBLIC_URL; the request's own host always counts as ours
 */
export const fromOwnPage = (
  headers: IncomingHttpHeaders,
  publicOrigin: string | undefined,
): boolean => {
  const { origin, host } = headers
  const site = headers["sec-fetch-site"]
  // Browsers set it themselves and let no page write it.
  if (site === "same-origin") return true
  if (origin === undefined) return site !== "cross-site"
  return origin === publicOrigin || (URL.canParse(origin) && new URL(origin).host === host)
}
