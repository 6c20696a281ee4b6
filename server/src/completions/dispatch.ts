import type { RequestHandle } from "@portico/http1"
import type { Endpoint } from "../connections/connection-registry.ts"
import { orderEndpoints } from "../connections/load-balancing.ts"
import { type ConnectionAttempt, sendWithFailover } from "../connections/send.ts"
import { Failure } from "../errors.ts"
import { FilteredResponse } from "../functions/filtered-response.ts"
import type { FunctionModelRequest, ResponseReceiver } from "../functions/function-model.ts"
import type { FunctionModel } from "../functions/function-registry.ts"
import type { Caller } from "../http/caller.ts"
import { checkParsableSize } from "../http/json-object.ts"
import type { FairEventLoop } from "../limits/fair-loop.ts"
import type { ResolvedModel } from "../models/catalogue.ts"
import type { UsageContext, UsageRecorders } from "../usage/usage-recorder.ts"
import { filterRequest, type ModelFilters, type OpenFilters } from "./filters.ts"
import type { ModelRequest } from "./request.ts"
import { buildUpstreamBody, hidesUsage, parseUpstreamBody } from "./request-body.ts"
import type { ResponseConsumer, ResponseResult } from "./response-consumer.ts"
import { chatEndMarkers, responseEndMarkers, SseScanner } from "./sse-scanner.ts"
import type { PendingResponse, TrackResponse } from "./tracked-response.ts"

export interface DispatchRequest {
  caller: Caller
  request: ModelRequest
  /** The exchange or job that the usage record belongs to. */
  usageContext: UsageContext
  /** Ends the response, like a disconnect of its client. */
  signal?: AbortSignal | undefined
}

export interface DispatchTarget {
  resolved: ResolvedModel
  /** Client headers to forward. */
  headers: Record<string, string>
}

interface SendContext extends DispatchTarget, PendingResponse {
  /** The reader, or what changes the response on its way there. */
  receiver: ResponseReceiver
}

interface Deps {
  fairLoop: FairEventLoop
  usageRecorders: UsageRecorders
  filters: ModelFilters
  trackResponse: TrackResponse
  /** Calls a function that acts as a model. */
  callFunction: (ask: FunctionModelRequest, receiver: ResponseReceiver) => RequestHandle
}

/** The body for one connection, in its provider's format. @throws {Failure} `bad_request` */
const encodeBody = (
  request: ModelRequest,
  { workspace }: ResolvedModel,
  { upstream, model }: Endpoint,
): Buffer => {
  const { chatFormat } = upstream.provider
  if (!chatFormat) return buildUpstreamBody(request, workspace, model.name)
  const fields = parseUpstreamBody(request, workspace, model.name)
  return Buffer.from(JSON.stringify(chatFormat.encodeRequest(fields, model)))
}

const attemptFor =
  (request: ModelRequest, resolved: ResolvedModel, headers: Record<string, string>) =>
  (endpoint: Endpoint): ConnectionAttempt => {
    const { upstream, model } = endpoint
    const { provider } = upstream
    return {
      upstream,
      usesModel: true,
      ...(provider.chatFormat && { conversion: { format: provider.chatFormat, model } }),
      request: () => ({
        method: "POST",
        path: provider.operationPath(request.operation),
        headers: {
          ...headers,
          "user-agent": "Portico",
          ...upstream.headers,
          "content-type": "application/json",
        },
        body: encodeBody(request, resolved, endpoint),
      }),
    }
  }

/** @throws {Failure} `bad_request` if no connection of the model supports the operation */
const findEndpoints = ({ operation }: ModelRequest, { id, endpoints }: ResolvedModel) => {
  const usable = endpoints.filter(({ upstream }) =>
    upstream.provider.operations.includes(operation),
  )
  const [first] = endpoints
  if (usable.length > 0 || !first) return orderEndpoints(usable)
  const { label, operations } = first.upstream.provider
  const message = `Model "${id}" is offered by ${label}, which only supports ${operations.join(", ")}.`
  throw new Failure("bad_request", message, { param: "model" })
}

const createScanner = (request: ModelRequest): SseScanner => {
  const markers = request.operation === "responses" ? responseEndMarkers : chatEndMarkers
  return new SseScanner(markers, hidesUsage(request))
}

/** Sends a request to an endpoint of its model and hands the response to a consumer. */
export const createDispatcher = ({
  fairLoop,
  usageRecorders,
  filters,
  trackResponse,
  callFunction,
}: Deps) => {
  const callFunctionModel = (
    model: FunctionModel,
    { caller, request, usageContext }: DispatchRequest,
    { resolved, receiver, usageRecorder }: SendContext,
  ): void => {
    usageRecorder?.setTarget(null, "function")
    if (request.operation !== "chat/completions") {
      const message = `Model "${resolved.id}" is a function, which only supports chat completions.`
      throw new Failure("bad_request", message, { param: "model" })
    }
    checkParsableSize(request.bytes)
    callFunction(
      {
        model,
        body: buildUpstreamBody(request, resolved.workspace, model.id),
        streamed: request.streamed,
        estimated: () => usageRecorder?.markEstimated(),
        caller,
        requestId: usageContext.requestId,
        above: request.callingFunctions ?? [],
      },
      receiver,
    )
  }

  const send = (dispatchRequest: DispatchRequest, context: SendContext): void => {
    const { caller, request } = dispatchRequest
    const { resolved, headers, receiver } = context
    if (resolved.functionModel) {
      callFunctionModel(resolved.functionModel, dispatchRequest, context)
      return
    }
    const endpoints = findEndpoints(request, resolved)
    const attempts = endpoints.map(attemptFor(request, resolved, headers))
    const timeoutMs = attempts[0]?.upstream.firstByteMs ?? 0
    const share = fairLoop.of(caller.user.id)
    receiver.attach(sendWithFailover(attempts, receiver, { timeoutMs, share }))
  }

  const track = (
    { caller, request, usageContext, signal }: DispatchRequest,
    { id }: ResolvedModel,
    consumer: ResponseConsumer,
    start: (pending: PendingResponse) => void,
  ): Promise<ResponseResult> => {
    const startUsageRecord = () =>
      usageRecorders.start({
        context: usageContext,
        caller,
        operation: request.operation,
        model: id,
        streamed: request.streamed,
        promptBytes: request.bytes.length,
      })
    const scanner = createScanner(request)
    return trackResponse(
      { caller, consumer, scanner, model: request.model, startUsageRecord, signal },
      start,
    )
  }

  /** Sends the request as its filters change it, and the response through them. */
  const dispatchFiltered = (
    dispatchRequest: DispatchRequest,
    { resolved, headers }: DispatchTarget,
    { consumer, openFilters }: { consumer: ResponseConsumer; openFilters: OpenFilters },
  ): Promise<ResponseResult> => {
    const sendFiltered = async (pending: PendingResponse): Promise<void> => {
      const { reader, usageRecorder } = pending
      usageRecorder?.setTarget(null, "function")
      const controller = new AbortController()
      reader.attach({ resume: () => {}, cancel: () => controller.abort() })
      const chain = await openFilters(controller.signal)
      try {
        const request = await filterRequest(chain, dispatchRequest.request, resolved)
        if (controller.signal.aborted) return
        const receiver = new FilteredResponse(reader, chain)
        const filtered = { ...resolved, workspace: [] }
        send({ ...dispatchRequest, request }, { resolved: filtered, headers, ...pending, receiver })
        await ended
      } finally {
        await chain.close()
      }
    }
    const ended = track(dispatchRequest, resolved, consumer, (pending) => {
      sendFiltered(pending).catch(pending.fail)
    })
    return ended
  }

  /** Resolves when the response has ended. @throws {Failure} if the request cannot be sent */
  return (
    dispatchRequest: DispatchRequest,
    target: DispatchTarget,
    consumer: ResponseConsumer,
  ): Promise<ResponseResult> => {
    const { resolved } = target
    const openFilters = filters.attachedTo(resolved, dispatchRequest)
    if (openFilters) return dispatchFiltered(dispatchRequest, target, { consumer, openFilters })
    return track(dispatchRequest, resolved, consumer, (pending) =>
      send(dispatchRequest, { ...target, ...pending, receiver: pending.reader }),
    )
  }
}

export type Dispatch = ReturnType<typeof createDispatcher>
