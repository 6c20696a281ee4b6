import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { HttpBindings } from "@hono/node-server"
import type { Context } from "hono"
import type { createAddressOf } from "./address.ts"
import type { Caller } from "./caller.ts"

/** One request and its reply, with what its log line will say. */
export interface Exchange {
  incoming: IncomingMessage
  outgoing: ServerResponse
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

/** The path of a request's target, without its query. */
export const pathOf = (url: string | undefined): string => (url ?? "").split("?", 1)[0] ?? ""

export interface Env {
  Bindings: HttpBindings
  Variables: { exchange: Exchange }
}

export type HttpContext = Context<Env>

const saneRequestId = /^[A-Za-z0-9._:-]{1,128}$/

export interface Opening {
  addressOf: ReturnType<typeof createAddressOf>
  /** Writes the request's line. */
  logRequest: (exchange: Exchange) => void
}

const nothing = (): void => {}

/**
 * A kept connection holds on to its last request until the next one comes. What listened to it, and
 * all that they know, would live as long, and be moved by each collection.
 */
const letGo = ({ incoming, outgoing }: HttpBindings): void => {
  for (const event of ["data", "end", "close", "error"]) incoming.removeAllListeners(event)
  for (const event of ["drain", "finish", "close"]) outgoing.removeAllListeners(event)
  incoming.on("error", nothing)
}

/** Opens the exchange of a request; its log line is written when the reply has closed. */
export const beginExchange = (
  { addressOf, logRequest }: Opening,
  { incoming, outgoing }: HttpBindings,
): Exchange => {
  const sent = incoming.headers["x-request-id"]
  const exchange: Exchange = {
    incoming,
    outgoing,
    requestId: typeof sent === "string" && saneRequestId.test(sent) ? sent : randomUUID(),
    address: addressOf(incoming),
    startedAt: performance.now(),
    caller: null,
  }
  outgoing.once("close", () => {
    logRequest(exchange)
    letGo({ incoming, outgoing })
  })
  return exchange
}
