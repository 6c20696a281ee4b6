import { orderEndpoints } from "../connections/load-balancing.ts"
import type { Endpoint } from "../connections/registry.ts"
import { type ConnectionAttempt, sendWithFailover } from "../connections/send.ts"
import { Failure } from "../errors.ts"
import type { FilterChain } from "../functions/filter-chain.ts"
import { FilteredResponse } from "../functions/filtered-response.ts"
import type { FunctionModelRequest, ResponseReceiver } from "../functions/function-model.ts"
import type { FunctionModel } from "../functions/function-registry.ts"
import type { Caller } from "../http/caller.ts"
import type { InFlightRequests } from "../http/in-flight-requests.ts"
import { checkParsableSize } from "../http/json-object.ts"
import type { FairEventLoop } from "../limits/fair-loop.ts"
import type { ModelCatalogue, ResolvedModel } from "../models/catalogue.ts"
import type { RequestHandle } from "../outbound/client.ts"
import type { UsageContext, UsageRecorder, UsageRecorders } from "../usage/usage-recorder.ts"
import type { ModelRequest } from "./request.ts"
import { buildUpstreamBody, hidesUsage } from "./request-body.ts"
import type { ResponseConsumer } from "./response-consumer.ts"
import { ResponseReader } from "./response-reader.ts"
import { chatEndMarkers, responseEndMarkers, SseScanner } from "./sse-scanner.ts"

export interface DispatchRequest {
  caller: Caller
  request: ModelRequest
  /** The exchange or job that the usage record belongs to. */
  usageContext: UsageContext
}

interface FunctionCallContext {
  resolved: ResolvedModel
  usageRecorder: UsageRecorder
  receiver: ResponseReceiver
  onUnexpectedError: (error: unknown) => void
}

export interface DispatchTarget {
  resolved: ResolvedModel
  /** Client headers to forward. */
  headers: Record<string, string>
  /** Filters that change the response. */
  filterChain?: FilterChain
}

interface Deps {
  fairLoop: FairEventLoop
  usageRecorders: UsageRecorders
  inFlight: InFlightRequests
  catalogue: Pick<ModelCatalogue, "isAccessRevoked">
  /** Calls a function that acts as a model. */
  callFunction: (ask: FunctionModelRequest, receiver: ResponseReceiver) => RequestHandle
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

const createScanner = (request: ModelRequest): SseScanner => {
  const markers = request.operation === "responses" ? responseEndMarkers : chatEndMarkers
  return new SseScanner(markers, hidesUsage(request))
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
    { resolved, usageRecorder, receiver, onUnexpectedError }: FunctionCallContext,
  ): void => {
    usageRecorder.setTarget(null, "function")
    if (request.operation !== "chat/completions") {
      const message = `Model "${resolved.id}" is a function, which only supports chat completions.`
      receiver.stop("refused_request", new Failure("bad_request", message, { param: "model" }))
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
      receiver,
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
    { resolved, headers, filterChain }: DispatchTarget,
    consumer: ResponseConsumer,
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      // `track` may throw. It calls none of these callbacks before the current tick ends.
      const unregister = inFlight.track(caller, {
        revoke: () => runGuarded(() => reader.stop("revoked", revokedFailure())),
        shutDown: () => runGuarded(() => reader.stop("shut_down", shutdownFailure())),
        accessRevocation: {
          isDue: (present) => catalogue.isAccessRevoked(present, request.model),
          end: () => runGuarded(() => reader.stop("revoked", accessRevokedFailure(request.model))),
        },
      })
      const usageRecorder = startUsageRecord({ caller, request, usageContext }, resolved)
      const reader = new ResponseReader({
        consumer,
        scanner: createScanner(request),
        usageRecorder,
        onDone: () => {
          unregister()
          resolve()
        },
      })
      const receiver = filterChain ? new FilteredResponse(reader, filterChain) : reader
      /** Called on an unexpected error, when the consumer can no longer end the request itself. */
      const onUnexpectedError = (error: unknown): void => {
        unregister()
        reader.abandon()
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
          const context = { resolved, usageRecorder, receiver, onUnexpectedError }
          callFunctionModel(resolved.functionModel, { caller, request, usageContext }, context)
          return
        }
        const offers = orderEndpoints(resolved.endpoints)
        const attempts = offers.map(attemptFor(request, resolved, headers))
        const timeoutMs = attempts[0]?.upstream.firstByteMs ?? 0
        const share = fairLoop.of(caller.user.id)
        receiver.attach(
          sendWithFailover(attempts, receiver, { timeoutMs, share, onUnexpectedError }),
        )
      })
    })

  return { dispatch, startUsageRecord }
}

export type Dispatcher = ReturnType<typeof createDispatcher>
