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

/** Receives an upstream's response. The gateway can stop it. */
export interface Hearing extends SendListener {
  follow(flow: Flow): void
  stop(outcome: Outcome, failure?: Failure): void
  /** Called before anything else if the answer is based on files. */
  cited?(cited: Cited): void
}

/** Creates the consumer of a response, which calls `onDone` exactly once, when it has ended. */
export type Hear = (meter: Meter, over: (failure?: Failure) => void) => Hearing

export interface Asking {
  caller: Caller
  request: ModelRequest
  /** The exchange or job that the usage record belongs to. */
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
  /** Client headers to forward. */
  headers: Record<string, string>
}

interface Deps {
  fairLoop: FairLoop
  meters: Meters
  running: Running
  catalogue: Pick<Catalogue, "isWithdrawn">
  /** Calls a function that acts as a model. */
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
  new Failure("unauthorized", "The credential used for this request was revoked.")

export const withdrawn = (id: string): Failure =>
  new Failure("forbidden", `Your access to the model "${id.slice(0, 200)}" was revoked.`)

export const shutDown = (): Failure =>
  new Failure("shutting_down", "The gateway is shutting down. Retry the request.")

/** Usage outcome of a request that failed unexpectedly. */
const notTold: Ended = { outcome: "upstream_error", status: 500, tokens: null, piecesOut: 0 }

/** Sends a request to an endpoint of its model and feeds the response to a consumer. */
export const createDispatching = ({ fairLoop, meters, running, catalogue, replies }: Deps) => {
  const askFunction = (
    model: FunctionModel,
    { caller, request, book }: Asking,
    { resolved, meter, hearing, failed }: Listening,
  ): void => {
    meter.sentTo(null, "function")
    if (request.operation !== "chat/completions") {
      const message = `Model "${resolved.id}" is a function, which only supports chat completions.`
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
      // `enter` may throw. It calls none of these callbacks before the current tick ends.
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
      /** Called on an unexpected error, when the consumer can no longer end the request itself. */
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
