import { orderEndpoints } from "../connections/load-balancing.ts"
import type { Endpoint } from "../connections/registry.ts"
import {
  type ConnectionAttempt,
  type FailoverHandler,
  sendWithFailover,
} from "../connections/send.ts"
import { Failure } from "../errors.ts"
import type { FunctionModelRequest } from "../functions/function-model.ts"
import type { FunctionModel } from "../functions/function-registry.ts"
import type { Caller } from "../http/caller.ts"
import type { InFlightRequests } from "../http/in-flight-requests.ts"
import { checkParsableSize } from "../http/json-object.ts"
import type { AnswerSources } from "../knowledge/citations.ts"
import type { FairEventLoop } from "../limits/fair-loop.ts"
import type { ModelCatalogue, ResolvedModel } from "../models/catalogue.ts"
import type { RequestHandle } from "../outbound/client.ts"
import type { RequestOutcome } from "../usage/schema.ts"
import type {
  UsageContext,
  UsageOutcome,
  UsageRecorder,
  UsageRecorders,
} from "../usage/usage-recorder.ts"
import type { ModelRequest } from "./request.ts"
import { buildUpstreamBody } from "./request-body.ts"

/** Receives an upstream's response. The gateway can stop it. */
export interface ResponseConsumer extends FailoverHandler {
  attach(handle: RequestHandle): void
  stop(outcome: RequestOutcome, failure?: Failure): void
  /** Called before anything else if the answer is based on files. */
  setCitations?(cited: AnswerSources): void
}

/** Creates the consumer of a response, which calls `onDone` exactly once, when it has ended. */
export type ConsumerFactory = (
  usageRecorder: UsageRecorder,
  onDone: (failure?: Failure) => void,
) => ResponseConsumer

export interface DispatchRequest {
  caller: Caller
  request: ModelRequest
  /** The exchange or job that the usage record belongs to. */
  usageContext: UsageContext
}

interface FunctionCallContext {
  resolved: ResolvedModel
  usageRecorder: UsageRecorder
  consumer: ResponseConsumer
  onUnexpectedError: (error: unknown) => void
}

export interface DispatchTarget {
  resolved: ResolvedModel
  /** Client headers to forward. */
  headers: Record<string, string>
}

interface Deps {
  fairLoop: FairEventLoop
  usageRecorders: UsageRecorders
  inFlight: InFlightRequests
  catalogue: Pick<ModelCatalogue, "isAccessRevoked">
  /** Calls a function that acts as a model. */
  callFunction: (ask: FunctionModelRequest, consumer: ResponseConsumer) => RequestHandle
}

const attemptFor =
  (request: ModelRequest, resolved: ResolvedModel, headers: Record<string, string>) =>
  ({ upstream, model }: Endpoint): ConnectionAttempt => ({
    upstream,
    usesModel: true,
    request: () => ({
      method: "POST",
      path: upstream.provider.operationPath(request.operation),
      headers: {
        ...headers,
        "user-agent": "Portico",
        ...upstream.headers,
        "content-type": "application/json",
      },
      body: buildUpstreamBody(request, resolved.workspace, model.name),
    }),
  })

export const revokedFailure = (): Failure =>
  new Failure("unauthorized", "The credential used for this request was revoked.")

export const accessRevokedFailure = (id: string): Failure =>
  new Failure("forbidden", `Your access to the model "${id.slice(0, 200)}" was revoked.`)

export const shutdownFailure = (): Failure =>
  new Failure("shutting_down", "The gateway is shutting down. Retry the request.")

/** Usage outcome of a request that failed unexpectedly. */
const unknownOutcome: UsageOutcome = {
  outcome: "upstream_error",
  status: 500,
  tokens: null,
  chunksOut: 0,
}

/** Sends a request to an endpoint of its model and feeds the response to a consumer. */
export const createDispatcher = ({
  fairLoop,
  usageRecorders,
  inFlight,
  catalogue,
  callFunction,
}: Deps) => {
  const callFunctionModel = (
    model: FunctionModel,
    { caller, request, usageContext }: DispatchRequest,
    { resolved, usageRecorder, consumer, onUnexpectedError }: FunctionCallContext,
  ): void => {
    usageRecorder.setTarget(null, "function")
    if (request.operation !== "chat/completions") {
      const message = `Model "${resolved.id}" is a function, which only supports chat completions.`
      consumer.stop("refused_request", new Failure("bad_request", message, { param: "model" }))
      return
    }
    const { requestId } = usageContext
    checkParsableSize(request.bytes)
    const body = buildUpstreamBody(request, resolved.workspace, model.id)
    const call = { model, body, streamed: request.streamed, estimated: usageRecorder.markEstimated }
    callFunction(
      {
        ...call,
        caller,
        requestId,
        above: request.callingFunctions ?? [],
        failed: onUnexpectedError,
      },
      consumer,
    )
  }

  const startUsageRecord = (
    { caller, request, usageContext }: DispatchRequest,
    { id }: ResolvedModel,
  ): UsageRecorder =>
    usageRecorders.start({
      context: usageContext,
      caller,
      operation: request.operation,
      model: id,
      streamed: request.streamed,
      promptBytes: request.bytes.length,
    })

  const dispatch = (
    { caller, request, usageContext }: DispatchRequest,
    { resolved, headers }: DispatchTarget,
    createConsumer: ConsumerFactory,
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      // `enter` may throw. It calls none of these callbacks before the current tick ends.
      const unregister = inFlight.track(caller, {
        revoke: () => runGuarded(() => consumer.stop("revoked", revokedFailure())),
        shutDown: () => runGuarded(() => consumer.stop("shut_down", shutdownFailure())),
        accessRevocation: {
          isDue: (present) => catalogue.isAccessRevoked(present, request.model),
          end: () =>
            runGuarded(() => consumer.stop("revoked", accessRevokedFailure(request.model))),
        },
      })
      const usageRecorder = startUsageRecord({ caller, request, usageContext }, resolved)
      const consumer = createConsumer(usageRecorder, () => {
        unregister()
        resolve()
      })
      /** Called on an unexpected error, when the consumer can no longer end the request itself. */
      const onUnexpectedError = (error: unknown): void => {
        unregister()
        usageRecorder.settle(unknownOutcome)
        reject(error)
      }
      const runGuarded = (work: () => void): void => {
        try {
          work()
        } catch (error) {
          onUnexpectedError(error)
        }
      }
      runGuarded(() => {
        if (resolved.functionModel) {
          const context = { resolved, usageRecorder, consumer, onUnexpectedError }
          callFunctionModel(resolved.functionModel, { caller, request, usageContext }, context)
          return
        }
        const offers = orderEndpoints(resolved.endpoints)
        const attempts = offers.map(attemptFor(request, resolved, headers))
        const timeoutMs = attempts[0]?.upstream.firstByteMs ?? 0
        const share = fairLoop.of(caller.user.id)
        consumer.attach(
          sendWithFailover(attempts, consumer, { timeoutMs, share, onUnexpectedError }),
        )
      })
    })

  return { dispatch, startUsageRecord }
}

export type Dispatcher = ReturnType<typeof createDispatcher>
