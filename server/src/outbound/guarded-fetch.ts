import { Agent, type Dispatcher } from "undici"
import { type Guard, GuardError } from "./guard.ts"

const mostRedirects = 5
const connectMs = 5000

export interface GuardedRequest {
  url: URL
  method: string
  headers: Record<string, string>
  body: string | null
  /** Asked for every address that is gone to, those after a redirect included. */
  allows: (url: URL) => boolean
  signal: AbortSignal
  /** Milliseconds for the reply, and bytes of it. */
  patience: number
  mostBytes: number
}

export interface GuardedReply {
  status: number
  url: string
  headers: Record<string, string>
  body: string
}

/** What another host may be told of a request that is sent on to it. */
const travels = /^(accept|accept-language|content-type|user-agent)$/

const check = (url: URL, allows: GuardedRequest["allows"]): void => {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new GuardError(`${url.protocol} addresses cannot be fetched`)
  }
  if (url.username !== "" || url.password !== "") {
    throw new GuardError("An address with a user name or password is not fetched; send a header")
  }
  if (!allows(url)) throw new GuardError(`The host ${url.host} is not one that was allowed`)
}

const read = async (body: Dispatcher.ResponseData["body"], most: number): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > most) throw new GuardError(`The reply is longer than ${most / 1e6} MB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const flat = (headers: Dispatcher.ResponseData["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || name === "set-cookie" ? [] : [[name, String(value)]],
    ),
  )

interface Hop {
  reply: GuardedReply
  location: string | null
}

const once = async (guard: Guard, request: GuardedRequest): Promise<Hop> => {
  const { url, method, headers, body, patience, signal } = request
  check(url, request.allows)
  const { address, family } = await guard.admit(url.hostname)
  const agent = new Agent({
    connect: {
      timeout: connectMs,
      // The address that was judged, whatever the name would say now.
      lookup: (_name, options, found) =>
        options.all ? found(null, [{ address, family }]) : found(null, address, family),
    },
    headersTimeout: patience,
    bodyTimeout: patience,
  })
  try {
    const { origin, pathname, search } = url
    const reply = await agent.request({
      origin,
      path: pathname + search,
      method: method as Dispatcher.HttpMethod,
      headers: { ...headers, "accept-encoding": "identity" },
      body,
      signal,
    })
    const location = reply.statusCode >= 300 && reply.statusCode < 400 && reply.headers.location
    const text = await read(reply.body, request.mostBytes)
    return {
      reply: { status: reply.statusCode, url: url.href, headers: flat(reply.headers), body: text },
      location: typeof location === "string" ? location : null,
    }
  } finally {
    void agent.destroy().catch(() => {})
  }
}

const next = (request: GuardedRequest, status: number, location: string): GuardedRequest => {
  if (!URL.canParse(location, request.url.href)) throw new GuardError("It redirects to no address")
  const url = new URL(location, request.url)
  const becomesGet = status === 303 || (status < 303 && request.method === "POST")
  const headers = Object.entries(request.headers).filter(
    ([name]) => url.origin === request.url.origin || travels.test(name),
  )
  return {
    ...request,
    url,
    headers: Object.fromEntries(headers),
    ...(becomesGet && { method: "GET", body: null }),
  }
}

/**
 * Fetches through the guard. Redirects are followed, and each is judged like the first.
 * @throws {GuardError} in words for whoever asked
 */
export const guardedFetch = async (guard: Guard, first: GuardedRequest): Promise<GuardedReply> => {
  let request = first
  for (let hops = 0; hops <= mostRedirects; hops++) {
    const { reply, location } = await once(guard, request)
    if (location === null) return reply
    request = next(request, reply.status, location)
  }
  throw new GuardError(`It redirects more than ${mostRedirects} times`)
}
