import type { RequestHandle } from "@portico/http1"
import type { FairEventLoop } from "../../concurrency/fair-event-loop.ts"
import type { AttemptTarget } from "../../connections/attempt-target.ts"
import type { CompletionReceiver, ResponseReceiver } from "../../connections/response-receiver.ts"
import { sendWithFailover } from "../../connections/send-with-failover.ts"
import { Failure } from "../../errors.ts"
import { originKeyOf } from "../../formats/answer-origin.ts"
import { FilteredResponse } from "../../functions/filtered-response.ts"
import type { FunctionModel } from "../../functions/function-registry.ts"
import type { FunctionModelRequest } from "../../functions/function-responder.ts"
import type { Caller } from "../../http/caller.ts"
import { checkParsableSize } from "../../http/json-object.ts"
import type { AdmitRequest } from "../../limits/admission/admission.ts"
import type { AdmissionRequest } from "../../limits/admission/admission-request.ts"
import type { RequestSize } from "../../limits/admission/request-size.ts"
import type { ResolvedModel } from "../../models/catalogue.ts"
import { createUsageReport } from "../../usage/parse-token-counts.ts"
import type { ReportTokens } from "../../usage/token-counts.ts"
import type { UsageContext } from "../../usage/usage-recorder.ts"
import type { CreateAnswerConverter } from "../conversion/answer-converter.ts"
import type { BodyWork } from "../conversion/body-work.ts"
import type { ClientConversion } from "../conversion/client-conversion.ts"
import { ConvertingReceiver } from "../conversion/converting-receiver.ts"
import type { DroppedFields } from "../conversion/dropped-fields.ts"
import { limitedModelIds, measureEither, measureRequest } from "../request/measure-request.ts"
import { filterRequest, type ModelFilters, type OpenFilters } from "../request/model-filters.ts"
import type { ModelRequest } from "../request/model-request.ts"
import { buildPlainChatBody, hidesUsage, toUpstreamRequest } from "../request/upstream-request.ts"
import type { ResponseConsumer, ResponseResult } from "../response/response-consumer.ts"
import { SseScanner } from "../response/sse-scanner.ts"
import { createAttempts } from "./create-attempts.ts"
import type { PendingResponse, TrackResponse } from "./response-tracker.ts"

export interface DispatchRequest {
  caller: Caller
  request: ModelRequest
  /** The HTTP request or job that the usage record belongs to. */
  usageContext: UsageContext
  /** The functions through which the request was made, outermost first. */
  callingFunctions?: readonly string[] | undefined
  /** Ends the response, like a disconnect of its client. */
  signal?: AbortSignal | undefined
  /** Set if `request` is a canonical prompt and the client expects another format. */
  clientConversion?: ClientConversion | undefined
  /** Collects what providers' formats lack. */
  dropped?: DroppedFields | undefined
}

export interface DispatchTarget {
  resolved: ResolvedModel
  /** Client headers to forward. */
  headers: Record<string, string>
}

interface SendContext extends Pick<PendingResponse, "reader" | "admitted"> {
  /** Takes the response as a chat completion; omitted if no filter does. */
  filteredResponse?: FilteredResponse
}

export interface DispatcherDeps {
  fairLoop: FairEventLoop
  admit: AdmitRequest
  filters: ModelFilters
  trackResponse: TrackResponse
  bodyWork: Pick<BodyWork, "encode">
  createConverter: CreateAnswerConverter
  /** Calls a function that acts as a model. */
  callFunction: (ask: FunctionModelRequest, receiver: CompletionReceiver) => RequestHandle
}

/** For a stream in the client's format. */
const createScanner = ({ request, clientConversion }: DispatchRequest): SseScanner => {
  const { endMarkers, isNumbered } = (clientConversion ?? request).operation.stream
  if (isNumbered) return new SseScanner(endMarkers, "whole_events")
  const isUsageHidden = clientConversion === undefined && hidesUsage(request)
  return new SseScanner(endMarkers, isUsageHidden ? "without_usage" : "bytes")
}

/** The endpoint decides whether the request is sent in the client's format. */
const measureDispatched = (
  { request, clientConversion }: DispatchRequest,
  resolved: ResolvedModel,
): RequestSize => {
  const size = measureRequest(request, resolved)
  const passed = clientConversion?.passThrough
  return passed ? measureEither(size, measureRequest(passed, { workspace: [] })) : size
}

/**
 * Sends a request to an endpoint of its model and hands the response to a consumer. On its way, the
 * response passes:
 *
 * 1. a `ConvertingReceiver` in each attempt, if the provider's format is not the client's;
 * 2. the `FilteredResponse`, if the model has filters;
 * 3. another `ConvertingReceiver`, if filters or a function return chat completions in place of the client's
 *    format;
 * 4. the `ResponseReader`, whose `SseScanner` watches streams;
 * 5. the consumer: a client's is the `ResponseRelay`, behind the `StoringConsumer` if it is stored.
 */
export const createDispatcher = (deps: DispatcherDeps) => {
  const { fairLoop, admit, filters, trackResponse, createConverter, callFunction } = deps
  const { encode } = deps.bodyWork
  /** A receiver of chat completions, whatever the client's format is. */
  const createFormatter = (
    reader: ResponseReceiver,
    { caller, clientConversion, dropped }: DispatchRequest,
    reportTokens?: ReportTokens,
  ): CompletionReceiver => {
    const owner = { userId: caller.user.id }
    const client = clientConversion ?? null
    const formats = { providerFormat: null, client, dropped, reportTokens }
    const share = fairLoop.of(caller.user.id)
    return new ConvertingReceiver(reader, createConverter(owner, formats), share)
  }

  const callFunctionModel = (
    model: FunctionModel,
    dispatchRequest: DispatchRequest,
    { resolved, ...context }: SendContext & Pick<DispatchTarget, "resolved">,
  ): void => {
    const { caller, request, usageContext, clientConversion, dropped } = dispatchRequest
    const { callingFunctions = [] } = dispatchRequest
    const { filteredResponse } = context
    const usageRecorder = context.admitted?.usageRecorder
    usageRecorder?.markFunction()
    if (!request.operation.isChatCompletion) {
      const message = `Model "${resolved.id}" is a function, which only supports chat completions.`
      throw new Failure("bad_request", message, { param: "model" })
    }
    if (clientConversion) clientConversion.origin.key = originKeyOf("function", model.id)
    const reportDropped = dropped?.startAttempt() ?? (() => {})
    const changed = toUpstreamRequest(request, resolved.workspace, { name: model.id })
    const functionRequest = {
      model,
      body: clientConversion
        ? buildPlainChatBody(changed, {
            origin: clientConversion.origin.key,
            report: reportDropped,
          })
        : checkParsableSize(changed.toBytes()),
      streamed: request.streamed,
      estimated: () => usageRecorder?.markEstimated(),
      caller,
      requestId: usageContext.requestId,
      reportCost: usageContext.reportCost,
      callingFunctions,
    }
    const reportTokens: ReportTokens = (counts) => usageRecorder?.reportTokens(counts)
    const receiver =
      filteredResponse ?? createFormatter(context.reader, dispatchRequest, reportTokens)
    receiver.attach(callFunction(functionRequest, receiver))
  }

  const send = (
    dispatchRequest: DispatchRequest,
    { resolved, headers }: DispatchTarget,
    context: SendContext,
  ): void => {
    const { caller, clientConversion, dropped } = dispatchRequest
    const { reader, filteredResponse, admitted } = context
    if (resolved.functionModel) {
      callFunctionModel(resolved.functionModel, dispatchRequest, { ...context, resolved })
      return
    }
    const owner = { userId: caller.user.id }
    const outputLimit = admitted?.outputLimit ?? null
    const limited = (request: ModelRequest): ModelRequest =>
      outputLimit === null ? request : request.with({ outputLimit })
    const attempts = createAttempts({
      request: limited(dispatchRequest.request),
      resolved,
      headers,
      dropped,
      owner,
      encode,
      createConverter,
      client: filteredResponse ? null : (clientConversion ?? null),
      passThrough: clientConversion?.passThrough ? limited(clientConversion.passThrough) : null,
      origin: clientConversion?.origin ?? null,
      reportTokens: (counts) => admitted?.usageRecorder.reportTokens(counts),
    })
    const timeoutMs = attempts[0]?.connection.firstByteMs ?? 0
    const share = fairLoop.of(caller.user.id)
    const receiver = filteredResponse ?? reader
    const reserveAttempt = (attempt: AttemptTarget) => admitted?.reserveAttempt(attempt)
    receiver.attach(sendWithFailover(attempts, receiver, { timeoutMs, share, reserveAttempt }))
  }

  const admissionRequestOf = (
    dispatchRequest: DispatchRequest,
    resolved: ResolvedModel,
    measure: AdmissionRequest["measure"],
  ): AdmissionRequest => {
    const { caller, request, usageContext, clientConversion, callingFunctions } = dispatchRequest
    return {
      context: usageContext,
      caller,
      operation: (clientConversion ?? request).operation.name,
      model: resolved.id,
      streamed: request.streamed,
      prompt: request,
      modelIds: limitedModelIds(resolved),
      endpoints: resolved.endpoints,
      isNested: callingFunctions !== undefined && callingFunctions.length > 0,
      measure,
    }
  }

  const track = (
    dispatchRequest: DispatchRequest,
    {
      resolved,
      consumer,
      measure,
    }: {
      resolved: ResolvedModel
      consumer: ResponseConsumer
      measure: AdmissionRequest["measure"]
    },
    start: (pending: PendingResponse) => void,
  ): Promise<ResponseResult> => {
    const { caller, request, signal, clientConversion } = dispatchRequest
    const { recordsUsage } = (clientConversion ?? request).operation
    const scanner = createScanner(dispatchRequest)
    return trackResponse(
      {
        ...{ caller, consumer, scanner, model: request.model, signal },
        admit: recordsUsage
          ? () => admit(admissionRequestOf(dispatchRequest, resolved, measure))
          : "unmetered",
      },
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
      const { reader, admitted, ended } = pending
      admitted?.usageRecorder.markFunction()
      const controller = new AbortController()
      reader.attach({ resume: () => {}, cancel: () => controller.abort() })
      const chain = await openFilters(controller.signal)
      try {
        const request = await filterRequest(chain, dispatchRequest.request, resolved)
        if (controller.signal.aborted) return
        const formatter = createFormatter(reader, dispatchRequest)
        const target = { resolved: { ...resolved, workspace: [] }, headers }
        await admitted?.reserveSize(() => measureRequest(request, target.resolved))
        if (controller.signal.aborted) return
        const reportUsage = createUsageReport((counts) =>
          admitted?.usageRecorder.reportTokens(counts),
        )
        const filteredResponse = new FilteredResponse(formatter, chain, reportUsage)
        const filtered = { ...dispatchRequest, request }
        send(filtered, target, { reader, admitted, filteredResponse })
        await ended
      } finally {
        await chain.close()
      }
    }
    // Filters may change all that its size depends on.
    return track(dispatchRequest, { resolved, consumer, measure: null }, (pending) => {
      sendFiltered(pending).catch(pending.fail)
    })
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
    const measure = () => measureDispatched(dispatchRequest, resolved)
    return track(dispatchRequest, { resolved, consumer, measure }, (pending) => {
      send(dispatchRequest, target, pending)
    })
  }
}

export type Dispatch = ReturnType<typeof createDispatcher>
