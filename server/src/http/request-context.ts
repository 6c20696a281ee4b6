import { randomUUID } from "node:crypto"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import type { HttpBindings } from "@hono/node-server"
import type { Context } from "hono"
import type { Caller } from "./caller.ts"
import type { createClientAddressResolver } from "./client-address.ts"

/** The head of a request, whoever parsed it: Node's server or our own (`plain/`). */
export interface IncomingHead {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** Where a reply is written: the part of Node's `ServerResponse` that ours has too. */
export interface Outgoing {
  readonly statusCode: number
  readonly headersSent: boolean
  readonly destroyed: boolean
  readonly writableEnded: boolean
  readonly writableFinished: boolean
  /** `headers` alternates names and values. */
  writeHead(status: number, headers: string[]): unknown
  flushHeaders(): void
  write(chunk: Buffer | string): boolean
  end(chunk?: Buffer | string): unknown
  destroy(): unknown
  on(event: "close" | "drain", listener: () => void): unknown
  once(event: "close", listener: () => void): unknown
  prependListener(event: "drain", listener: () => void): unknown
}

/** One request and its reply, with what its log line will say. */
export interface RequestContext {
  incoming: IncomingHead
  outgoing: Outgoing
  requestId: string
  /** The true peer, behind trusted proxies. */
  address: string
  /** From `performance.now()`, in ms. */
  startedAt: number
  caller: Caller | null
  /** Set when the gateway refused or broke. */
  failure?: Error
  model?: string
  connection?: string
}

/** One whose request and reply are Node's own, to read from and to pipe to. */
export interface NodeRequestContext extends RequestContext {
  incoming: IncomingMessage
  outgoing: ServerResponse
}

/** The path of a request's target, without its query. */
export const pathOf = (url: string | undefined): string => (url ?? "").split("?", 1)[0] ?? ""

export interface HonoEnv {
  Bindings: HttpBindings
  Variables: { exchange: NodeRequestContext }
}

export type HttpContext = Context<HonoEnv>

const validRequestId = /^[A-Za-z0-9._:-]{1,128}$/

export interface RequestContextDeps {
  addressOf: ReturnType<typeof createClientAddressResolver>
  /** Writes the request's line. */
  logRequest: (exchange: RequestContext) => void
}

/** Opens the exchange of a request; its log line is written when the reply has closed. */
export const createRequestContext = <I extends IncomingHead, O extends Outgoing>(
  { addressOf, logRequest }: RequestContextDeps,
  incoming: I,
  outgoing: O,
): RequestContext & { incoming: I; outgoing: O } => {
  const sent = incoming.headers["x-request-id"]
  const exchange = {
    incoming,
    outgoing,
    requestId: typeof sent === "string" && validRequestId.test(sent) ? sent : randomUUID(),
    address: addressOf(incoming),
    startedAt: performance.now(),
    caller: null,
  }
  outgoing.once("close", () => logRequest(exchange))
  return exchange
}

/**
 * Calls back when the reply is over. At once where its client has gone already: a reply says that it
 * is closed once, and whoever begins to listen later never hears of it.
 */
export const whenClosed = (
  outgoing: Pick<Outgoing, "destroyed" | "once">,
  listener: () => void,
): void => {
  if (outgoing.destroyed) listener()
  else outgoing.once("close", listener)
}

const nothing = (): void => {}

/**
 * A kept connection holds on to its last request until the next one comes. What listened to it, and
 * all that they know, would live as long, and be moved by each collection.
 */
const releaseListeners = ({ incoming, outgoing }: HttpBindings): void => {
  for (const event of ["data", "end", "close", "error"]) incoming.removeAllListeners(event)
  for (const event of ["drain", "finish", "close"]) outgoing.removeAllListeners(event)
  incoming.on("error", nothing)
}

/**
 * The reply of a client that left closes before its request does, and whoever reads that has still to
 * hear of it: else they would wait for ever, with all that they hold.
 */
const releaseListenersOnceClosed = (bindings: HttpBindings): void => {
  const { incoming } = bindings
  // A stream calls itself closed a tick before it says so.
  if (incoming.closed) process.nextTick(releaseListeners, bindings)
  else incoming.once("close", () => releaseListeners(bindings))
}

/** As `beginExchange`, for a request that came through Node's server. */
export const createNodeRequestContext = (
  opening: RequestContextDeps,
  bindings: HttpBindings,
): NodeRequestContext => {
  const exchange = createRequestContext(opening, bindings.incoming, bindings.outgoing)
  bindings.outgoing.once("close", () => releaseListenersOnceClosed(bindings))
  // Unheard, what goes wrong with one reply would end the process.
  bindings.outgoing.on("error", (error) => {
    exchange.failure ??= error
    bindings.outgoing.destroy()
  })
  return exchange
}
