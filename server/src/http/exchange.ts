import type { IncomingMessage, ServerResponse } from "node:http"
import type { HttpBindings } from "@hono/node-server"
import type { Context } from "hono"
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

export interface Env {
  Bindings: HttpBindings
  Variables: { exchange: Exchange }
}

export type HttpContext = Context<Env>
