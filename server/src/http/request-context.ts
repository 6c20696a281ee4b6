import { randomUUID } from "node:crypto"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import type { HttpBindings } from "@hono/node-server"
import type { Context } from "hono"
import type { Caller } from "./caller.ts"
import type { Cors } from "./cors.ts"

/** The head of a request, parsed by Node's server or by the fast path. */
export interface IncomingHead {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** The subset of Node's `ServerResponse` that the fast path's response implements too. */
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

/** A request and its response, with the fields of its access log entry. */
export interface RequestContext {
  incoming: IncomingHead
  outgoing: Outgoing
  requestId: string
  /** The client's IP address, as reported by trusted proxies. */
  address: string
  /** For every response: names and values in turn. */
  corsHeaders?: readonly string[] | undefined
  /** In ms of `performance.now()`. */
  startedAt: number
  caller: Caller | null
  /** Set if the gateway rejected the request or failed. */
  failure?: Error
  model?: string
  connection?: string
}

/** A request received by Node's server, whose streams can be read and piped. */
export interface NodeRequestContext extends RequestContext {
  incoming: IncomingMessage
  outgoing: ServerResponse
}

/** The path of a request target, without its query. */
export const pathOf = (url: string | undefined): string => (url ?? "").split("?", 1)[0] ?? ""

export interface HonoEnv {
  Bindings: HttpBindings
  Variables: { context: NodeRequestContext }
}

export type HonoContext = Context<HonoEnv>

const validRequestId = /^[A-Za-z0-9._:-]{1,128}$/

export interface RequestContextDeps {
  addressOf: (incoming: IncomingHead) => string
  cors: Pick<Cors, "headersFor">
  /** Writes the request's access log entry. */
  logRequest: (context: RequestContext) => void
}

/** Creates a request's context; its access log entry is written when the response closes. */
export const createRequestContext = <I extends IncomingHead, O extends Outgoing>(
  { addressOf, cors, logRequest }: RequestContextDeps,
  incoming: I,
  outgoing: O,
): RequestContext & { incoming: I; outgoing: O } => {
  const sent = incoming.headers["x-request-id"]
  const context = {
    incoming,
    outgoing,
    requestId: typeof sent === "string" && validRequestId.test(sent) ? sent : randomUUID(),
    address: addressOf(incoming),
    corsHeaders: cors.headersFor(incoming.headers.origin),
    startedAt: performance.now(),
    caller: null,
  }
  outgoing.once("close", () => logRequest(context))
  return context
}

/**
 * Calls `listener` when the response closes; immediately if the client already disconnected, as
 * `close` is emitted only once.
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
 * A keep-alive connection references its last request until the next one arrives. Its listeners
 * and everything they reference would live as long and be copied by each garbage collection.
 */
const releaseListeners = ({ incoming, outgoing }: HttpBindings): void => {
  for (const event of ["data", "end", "close", "error"]) incoming.removeAllListeners(event)
  for (const event of ["drain", "finish", "close"]) outgoing.removeAllListeners(event)
  incoming.on("error", nothing)
}

/**
 * After a disconnect, the response closes before the request. A pending body read still needs the
 * request's `error` or `close` event; without it, the read never settles and leaks its memory.
 */
const releaseListenersOnceClosed = (bindings: HttpBindings): void => {
  const { incoming } = bindings
  // `closed` becomes true one tick before `close` is emitted.
  if (incoming.closed) process.nextTick(releaseListeners, bindings)
  else incoming.once("close", () => releaseListeners(bindings))
}

/**
 * Reads and discards the rest of a request's body after its response, as the connection's next
 * request follows it. Node does so only if nothing of the body was read.
 */
const discardRest = ({ incoming }: HttpBindings): void => {
  if (!(incoming.destroyed || incoming.readableEnded)) incoming.resume()
}

/** Like `createRequestContext`, for a request received by Node's server. */
export const createNodeRequestContext = (
  opening: RequestContextDeps,
  bindings: HttpBindings,
): NodeRequestContext => {
  const context = createRequestContext(opening, bindings.incoming, bindings.outgoing)
  bindings.outgoing.once("close", () => {
    discardRest(bindings)
    releaseListenersOnceClosed(bindings)
  })
  // Without a listener, an `error` event of one response would end the process.
  bindings.outgoing.on("error", (error) => {
    context.failure ??= error
    bindings.outgoing.destroy()
  })
  return context
}
