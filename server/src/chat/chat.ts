import { inOrderOfChoice } from "../connections/choice.ts"
import type { Offer } from "../connections/registry.ts"
import { type Attempt, send } from "../connections/send.ts"
import { Failure } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { Exchange } from "../http/exchange.ts"
import { createReply } from "../http/reply.ts"
import type { Running } from "../http/running.ts"
import type { Catalogue, Resolved } from "../models/catalogue.ts"
import type { Meters } from "../usage/meter.ts"
import { bodyFor, hidesUsage } from "./context.ts"
import { chatEndings, Frames, responseEndings } from "./frames.ts"
import { Relay } from "./relay.ts"
import type { ModelRequest } from "./request.ts"

interface Needs {
  catalogue: Catalogue
  meters: Meters
  running: Running
}

/** Headers of the client's that upstreams may want; everything else stays here. */
const passedOn = /^(openai-.*|anthropic-.*|idempotency-key|traceparent|tracestate|accept)$/

const clientHeaders = ({ incoming }: Exchange): Record<string, string> => {
  const passed: Record<string, string> = {}
  for (const name in incoming.headers) {
    const value = incoming.headers[name]
    if (typeof value === "string" && passedOn.test(name)) passed[name] = value
  }
  return passed
}

const attemptFor = (request: ModelRequest, resolved: Resolved, exchange: Exchange) => {
  const fromClient = clientHeaders(exchange)
  return ({ upstream, model }: Offer): Attempt => ({
    upstream,
    request: {
      method: "POST",
      path: upstream.provider.pathOf(request.operation),
      headers: {
        ...fromClient,
        "user-agent": "Portico",
        ...upstream.headers,
        "content-type": "application/json",
      },
      body: bodyFor(request, resolved.workspace, model.name),
    },
  })
}

const revoked = (): Failure =>
  new Failure("unauthorized", "The credential of this request was revoked")

const shutDown = (): Failure =>
  new Failure("shutting_down", "The gateway is shutting down; send the request again")

/** Takes a request that was read to a connection that has its model, and the reply back. */
export const createChat = ({ catalogue, meters, running }: Needs) => {
  const dispatch = (
    exchange: Exchange,
    caller: Caller,
    { request, resolved }: { request: ModelRequest; resolved: Resolved },
  ): Promise<void> =>
    new Promise((resolve) => {
      const attempts = inOrderOfChoice(resolved.offers).map(attemptFor(request, resolved, exchange))
      const meter = meters.begin({
        exchange,
        caller,
        operation: request.operation,
        model: resolved.id,
        streamed: request.streamed,
        promptBytes: request.bytes.length,
      })
      const endings = request.operation === "responses" ? responseEndings : chatEndings
      const relay = new Relay({
        reply: createReply(exchange),
        meter,
        frames: new Frames(endings, hidesUsage(request)),
        over: (failure) => {
          if (failure) exchange.failure = failure
          leave()
          resolve()
        },
      })
      const leave = running.enter(caller, {
        revoke: () => relay.stop("revoked", revoked()),
        shutDown: () => relay.stop("shut_down", shutDown()),
      })
      const patience = attempts[0]?.upstream.firstByteMs ?? 0
      relay.follow(send(attempts, relay, patience))
    })

  return {
    /** Resolves when the reply is over. @throws {Failure} while nothing was sent yet */
    complete: async (exchange: Exchange, caller: Caller, request: ModelRequest): Promise<void> => {
      exchange.model = request.model
      const found = catalogue.resolve(caller, request.model)
      const resolved = found instanceof Promise ? await found : found
      await dispatch(exchange, caller, { request, resolved })
    },
  }
}

export type Chat = ReturnType<typeof createChat>
