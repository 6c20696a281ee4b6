import { headerOf, ResponseTooLargeError, readBufferedResponse } from "@portico/http1"
import { type SsrfGuard, SsrfGuardError } from "./ssrf-guard.ts"
import type { Transports } from "./transports.ts"

const maxRedirects = 5
const connectSeconds = 5

export interface GuardedRequest {
  url: URL
  method: string
  headers: Record<string, string>
  body: string | null
  /** Called for every URL before it is requested, including redirect targets. */
  allows: (url: URL) => boolean
  signal: AbortSignal
  /** In ms; applies to the response head and to each pause in the body. */
  timeoutMs: number
  maxBytes: number
}

export interface GuardedResponse {
  status: number
  url: string
  headers: Record<string, string>
  body: string
}

/**
 * Fetches a URL through the SSRF guard. Follows redirects and checks every target.
 * @throws {SsrfGuardError} with a message for the caller
 * @throws {UpstreamError} or the signal's abort reason
 */
export type GuardedFetch = (request: GuardedRequest) => Promise<GuardedResponse>

/** Request headers that are kept when a redirect leads to another origin. */
const crossOriginHeaders = /^(accept|accept-language|content-type|user-agent)$/

const checkUrl = (url: URL, allows: GuardedRequest["allows"]): void => {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new SsrfGuardError(`${url.protocol} URLs cannot be fetched`)
  }
  if (url.username !== "" || url.password !== "") {
    const remedy = "Send an Authorization header instead."
    throw new SsrfGuardError(`URLs with a user name or password are not fetched. ${remedy}`)
  }
  if (!allows(url)) throw new SsrfGuardError(`The host ${url.host} is not allowed`)
}

const toHeaderRecord = (rawHeaders: readonly string[]): Record<string, string> => {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
  const kept = new Set(names).difference(new Set(["set-cookie"]))
  return Object.fromEntries([...kept].map((name) => [name, headerOf(rawHeaders, name) ?? ""]))
}

/** A response, and where it redirects to. */
interface Hop {
  response: GuardedResponse
  location: string | null
}

interface Deps {
  guard: SsrfGuard
  transports: Pick<Transports, "openChecked">
}

const fetchOnce = async ({ guard, transports }: Deps, request: GuardedRequest): Promise<Hop> => {
  const { url, method, headers, body, timeoutMs, maxBytes, signal } = request
  checkUrl(url, request.allows)
  // Connects to the checked address; resolving the name again could give another one.
  const address = await guard.resolveAllowed(url.hostname)
  const seconds = timeoutMs / 1000
  const timeouts = { connect: connectSeconds, firstByte: seconds, idle: seconds }
  const transport = transports.openChecked({ baseUrl: url.origin, timeouts, address })
  const upstreamRequest = {
    method,
    path: url.pathname + url.search,
    headers: { ...headers, "accept-encoding": "identity" },
    body: body === null ? null : Buffer.from(body),
  }
  try {
    const { status, rawHeaders, text } = await readBufferedResponse(
      (listener) => transport.send(upstreamRequest, listener),
      { signal, maxBytes },
    )
    return {
      response: { status, url: url.href, headers: toHeaderRecord(rawHeaders), body: text },
      location: status >= 300 && status < 400 ? headerOf(rawHeaders, "location") : null,
    }
  } catch (error) {
    if (!(error instanceof ResponseTooLargeError)) throw error
    throw new SsrfGuardError(`The response is larger than ${maxBytes / 1e6} MB`)
  } finally {
    transport.close()
  }
}

const toRedirectRequest = (
  request: GuardedRequest,
  status: number,
  location: string,
): GuardedRequest => {
  if (!URL.canParse(location, request.url.href))
    throw new SsrfGuardError("The redirect has no location")
  const url = new URL(location, request.url)
  const becomesGet = status === 303 || (status < 303 && request.method === "POST")
  const headers = Object.entries(request.headers).filter(
    ([name]) => url.origin === request.url.origin || crossOriginHeaders.test(name),
  )
  return {
    ...request,
    url,
    headers: Object.fromEntries(headers),
    ...(becomesGet && { method: "GET", body: null }),
  }
}

export const createGuardedFetch =
  (deps: Deps): GuardedFetch =>
  async (first) => {
    let request = first
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const { response, location } = await fetchOnce(deps, request)
      if (location === null) return response
      request = toRedirectRequest(request, response.status, location)
    }
    throw new SsrfGuardError(`Too many redirects (maximum ${maxRedirects})`)
  }
