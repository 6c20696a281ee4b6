import { inOrderOfChoice } from "../connections/load-balancing.ts"
import type { Offer } from "../connections/registry.ts"
import { type Attempt, type SendListener, send } from "../connections/send.ts"
import { Failure } from "../errors.ts"
import type { ModelAsk } from "../functions/function-model.ts"
import type { FunctionModel } from "../functions/function-registry.ts"
import type { Caller } from "../http/caller.ts"
import type { Running } from "../http/in-flight-requests.ts"
import { refuseUnparsable } from "../http/json-object.ts"
import type { Cited } from "../knowledge/citations.ts"
import type { FairLoop } from "../limits/fair-loop.ts"
import type { Catalogue, Resolved } from "../models/catalogue.ts"
import type { Flow } from "../outbound/client.ts"
import type { Outcome } from "../usage/schema.ts"
import type { Booked, Ended, Meter, Meters } from "../usage/usage-recorder.ts"
import type { ModelRequest } from "./request.ts"
import { bodyFor } from "./request-body.ts"

/** What hears an upstream's reply and can be stopped from our side. */
export interface Hearing extends SendListener {
  follow(flow: Flow): void
  stop(outcome: Outcome, failure?: Failure): void
  /** Told before all else, where the answer rests on files. */
  cited?(cited: Cited): void
}

/** Makes what hears; it says once, by `over`, that all is heard. */
export type Hear = (meter: Meter, over: (failure?: Failure) => void) => Hearing

export interface Asking {
  caller: Caller
  request: ModelRequest
  /** What the usage record is made out to. */
  book: Booked
}

interface Listening {
  resolved: Resolved
  meter: Meter
  hearing: Hearing
  failed: (error: unknown) => void
}

export interface Route {
  resolved: Resolved
  /** Of the client's, to be sent along. */
  headers: Record<string, string>
}

interface Deps {
  fairLoop: FairLoop
  meters: Meters
  running: Running
  catalogue: Pick<Catalogue, "isWithdrawn">
  /** Has a function answer. */
  replies: (ask: ModelAsk, hearing: Hearing) => Flow
}

const attemptFor =
  (request: ModelRequest, resolved: Resolved, headers: Record<string, string>) =>
  ({ upstream, model }: Offer): Attempt => ({
    upstream,
    usesModel: true,
    request: () => ({
      method: "POST",
      path: upstream.provider.pathOf(request.operation),
      headers: {
        ...headers,
        "user-agent": "Portico",
        ...upstream.headers,
        "content-type": "application/json",
      },
      body: bodyFor(request, resolved.workspace, model.name),
    }),
  })

export const revoked = (): Failure =>
  new Failure("unauthorized", "The credential of this request was revoked")

export const withdrawn = (id: string): Failure =>
  new Failure("forbidden", `Your access to the model "${id.slice(0, 200)}" was taken away`)

export const shutDown = (): Failure =>
  new Failure("shutting_down", "The gateway is shutting down; send the request again")

/** How a request stands in the book whose end could not be told. */
const notTold: Ended = { outcome: "upstream_error", status: 500, tokens: null, piecesOut: 0 }

/** Sends a request to what has its model, and tells who hears of the reply. */
export const createDispatching = ({ fairLoop, meters, running, catalogue, replies }: Deps) => {
  const askFunction = (
    model: FunctionModel,
    { caller, request, book }: Asking,
    { resolved, meter, hearing, failed }: Listening,
  ): void => {
    meter.sentTo(null, "function")
    if (request.operation !== "chat/completions") {
      const message = `"${resolved.id}" is a function: it answers chat completions only`
      hearing.stop("refused_request", new Failure("bad_request", message, { param: "model" }))
      return
    }
    const { requestId } = book
    refuseUnparsable(request.bytes)
    const body = bodyFor(request, resolved.workspace, model.id)
    const ask = { model, body, streamed: request.streamed, estimated: meter.estimated }
    replies({ ...ask, caller, requestId, above: request.above ?? [], failed }, hearing)
  }

  const meterFor = ({ caller, request, book }: Asking, { id }: Resolved): Meter =>
    meters.begin({
      exchange: book,
      caller,
      operation: request.operation,
      model: id,
      streamed: request.streamed,
      promptBytes: request.bytes.length,
    })

  const dispatch = (
    { caller, request, book }: Asking,
    { resolved, headers }: Route,
    hear: Hear,
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      // It may refuse. Nobody ends a request before this turn is over.
      const leave = running.enter(caller, {
        revoke: () => guarded(() => hearing.stop("revoked", revoked())),
        shutDown: () => guarded(() => hearing.stop("shut_down", shutDown())),
        withdrawal: {
          isDue: (present) => catalogue.isWithdrawn(present, request.model),
          end: () => guarded(() => hearing.stop("revoked", withdrawn(request.model))),
        },
      })
      const meter = meterFor({ caller, request, book }, resolved)
      const hearing = hear(meter, () => {
        leave()
        resolve()
      })
      /** Nobody is left who could end the request in its own words. */
      const failed = (error: unknown): void => {
        leave()
        meter.settle(notTold)
        reject(error)
      }
      const guarded = (work: () => void): void => {
        try {
          work()
        } catch (error) {
          failed(error)
        }
      }
      guarded(() => {
        if (resolved.answered) {
          const listening = { resolved, meter, hearing, failed }
          askFunction(resolved.answered, { caller, request, book }, listening)
          return
        }
        const offers = inOrderOfChoice(resolved.offers)
        const attempts = offers.map(attemptFor(request, resolved, headers))
        const withinMs = attempts[0]?.upstream.firstByteMs ?? 0
        const share = fairLoop.of(caller.user.id)
        hearing.follow(send(attempts, hearing, { withinMs, share, failed }))
      })
    })

  return { dispatch, meterFor }
}

export type Dispatching = ReturnType<typeof createDispatching>
