import { Failure } from "../errors.ts"
import type { InboundFormat } from "../formats/inbound-format.ts"
import type { Caller } from "../http/caller.ts"
import type { InFlightRequests } from "../http/in-flight-requests.ts"
import { type RequestContext, whenClosed } from "../http/request-context.ts"
import { defaultHeartbeatMs, type SseOptions } from "../http/sse-response.ts"
import type { ContextBudget } from "../knowledge/citations/context-budget.ts"
import type { AnswerSources, SourceFinder } from "../knowledge/citations/source-finder.ts"
import { createSourcePrompt, type SourcePassage } from "../knowledge/citations/source-prompt.ts"
import type { ModelCatalogue, ResolvedModel } from "../models/catalogue.ts"
import { bodyTasks } from "./conversion/body-tasks.ts"
import type { BodyWork } from "./conversion/body-work.ts"
import { createClientConversion, failureFormatOf } from "./conversion/client-conversion.ts"
import { DroppedFields } from "./conversion/dropped-fields.ts"
import type { Dispatch, DispatchRequest } from "./dispatch/dispatch.ts"
import { revokedFailure, shutdownFailure } from "./dispatch/response-tracker.ts"
import type { ApiOperation } from "./operations/operation.ts"
import type { PreparedRequest, RequestPreparation } from "./preparation/prepare-request.ts"
import { forwardedClientHeaders } from "./request/forwarded-client-headers.ts"
import type { ModelRequest } from "./request/model-request.ts"
import type { ResponseConsumer } from "./response/response-consumer.ts"
import { type RelayOptions, ResponseRelay } from "./response/response-relay.ts"
import type { ResponseStorage, StoredRequest } from "./response/response-storage.ts"
import { StoringConsumer } from "./response/storing-consumer.ts"
import { createSourceEncoder } from "./sources/source-encoder.ts"
import { createSourceSearch, needsSources } from "./sources/source-search.ts"

interface Deps extends SseOptions {
  catalogue: ModelCatalogue
  sourceFinder: SourceFinder
  contextBudget: ContextBudget
  /** The source prompt's template; empty for the default one. */
  template: () => string
  inFlight: InFlightRequests
  dispatch: Dispatch
  preparation: RequestPreparation
  bodyWork: BodyWork
  storageOf: (request: StoredRequest) => ResponseStorage
}

interface AnswerRequest extends DispatchRequest {
  /** Passages of an earlier search: the answer is continued with these, without a new search. */
  sourcePassages?: readonly SourcePassage[] | null
}

/** A request as it is sent, and the HTTP request that it belongs to. */
interface ClientRequest extends PreparedRequest {
  context: RequestContext
  caller: Caller
  /** As the client sent it. */
  received: ModelRequest
  resolved: ResolvedModel
}

/** A request of an inbound API other than chat completions. */
interface ReceivedRequest {
  received: ModelRequest
  format: InboundFormat
  resolved: ResolvedModel
}

interface TokenCounting {
  format: InboundFormat
  sendTokenEstimate: NonNullable<ApiOperation["sendTokenEstimate"]>
}

/** Sends completion requests to an endpoint of their model and relays the responses. */
export interface Completions {
  /** Resolves when the response has ended. @throws {Failure} if nothing has been sent yet */
  complete(context: RequestContext, caller: Caller, received: ModelRequest): Promise<void>
  /** `complete` without an HTTP response: `consumer` receives the answer. @throws {Failure} */
  answer(request: AnswerRequest, consumer: ResponseConsumer): Promise<void>
  /**
   * `answer` for a request of the gateway itself: without sources, by a model whose access the caller
   * of this function has checked. @throws {Failure}
   */
  answerResolved(
    request: DispatchRequest,
    resolved: ResolvedModel,
    consumer: ResponseConsumer,
  ): Promise<void>
}

export const createCompletions = (deps: Deps): Completions => {
  const { catalogue, template, inFlight, dispatch, preparation, bodyWork } = deps
  const { storageOf, heartbeatMs = defaultHeartbeatMs } = deps
  const addSources = createSourceSearch({ ...deps, ownerOf: catalogue.ownerOf })

  /** For after work that takes a while: connections, filters and grants may have changed. */
  const resolveAgain = async (caller: Caller, { model }: ModelRequest): Promise<ResolvedModel> =>
    catalogue.resolve(caller, model)

  /** Runs `work` as a request in progress, whose signal is aborted when it must end. */
  const runAbortable = async <T>(
    context: RequestContext,
    caller: Caller,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const controller = new AbortController()
    const { signal } = controller
    const abort = (failure: Failure): void => controller.abort(failure)
    const onDisconnect = (): void => abort(new Failure("bad_request", "The client disconnected"))
    whenClosed(context.outgoing, onDisconnect)
    const unregister = inFlight.track(caller, {
      revoke: () => abort(revokedFailure()),
      shutDown: () => abort(shutdownFailure()),
    })
    const result = await work(signal)
      .catch((error) => {
        signal.throwIfAborted()
        throw error
      })
      .finally(unregister)
    signal.throwIfAborted()
    return result
  }

  const createConsumer = (
    { context, caller, received, storedItems }: ClientRequest,
    options: RelayOptions,
  ): ResponseConsumer => {
    const relay = new ResponseRelay(context, options)
    if (!storedItems) return relay
    return new StoringConsumer(relay, storageOf({ context, caller, received, input: storedItems }))
  }

  /** Sends a request, whose sources are already part of its prompt, and relays the response. */
  const relay = async (
    clientRequest: ClientRequest,
    citationResult: AnswerSources | null,
  ): Promise<void> => {
    const { context, caller, received, request, converted, resolved } = clientRequest
    const dropped = new DroppedFields(converted?.dropped ?? [])
    const clientConversion = converted
      ? createClientConversion(converted, citationResult, dropped)
      : undefined
    const sources =
      citationResult && !clientConversion
        ? createSourceEncoder(citationResult, request.model)
        : undefined
    const { operation } = received
    const formatFailure = failureFormatOf(operation, clientConversion)
    const pingMs = request.streamed && operation.stream.ping !== null ? heartbeatMs : undefined
    const options = { operation, formatFailure, sources, dropped, pingMs }
    const consumer = createConsumer(clientRequest, options)
    const target = { resolved, headers: forwardedClientHeaders(context, caller) }
    const dispatchRequest = { caller, request, usageContext: context, clientConversion, dropped }
    await dispatch(dispatchRequest, target, consumer)
  }

  /** `complete` for a request whose answer is based on files. */
  const completeWithSources = async (clientRequest: ClientRequest): Promise<void> => {
    const { context, caller, request, resolved } = clientRequest
    const { citationResult, ...sourced } = await runAbortable(context, caller, (signal) =>
      addSources(caller, { request, resolved, signal }),
    )
    const present = await resolveAgain(caller, request)
    await relay({ ...clientRequest, ...sourced, resolved: present }, citationResult)
  }

  const prepare = async (
    context: RequestContext,
    caller: Caller,
    { received, format, resolved }: ReceivedRequest,
  ): Promise<ClientRequest> => {
    const prepared = await runAbortable(context, caller, async (signal) => {
      const input = { context, caller, signal }
      const standalone = await preparation.resolveReferences(received, { ...input, resolved })
      const current = await resolveAgain(caller, received)
      return preparation.prepare(received, standalone, { ...input, format, resolved: current })
    })
    const present = await resolveAgain(caller, received)
    return { ...prepared, context, caller, received, resolved: present }
  }

  /** Responds with the provider's count of a prompt's tokens, otherwise with an estimate. */
  const countTokens = async (
    { context, caller, received, request, converted, resolved }: ClientRequest,
    { format, sendTokenEstimate }: TokenCounting,
  ): Promise<void> => {
    const owner = { userId: caller.user.id }
    const sendEstimate = async (): Promise<void> => {
      const requests = { received, standalone: request }
      const { canonical } = converted ?? (await bodyWork.toCanonical(owner, requests, format))
      sendTokenEstimate(
        context,
        await bodyWork.read(owner, canonical, bodyTasks.countTokens, undefined),
      )
    }
    if (converted) return sendEstimate()
    const target = { resolved, headers: forwardedClientHeaders(context, caller) }
    const { operation } = received
    const { formatFailure } = operation.stream
    let isMissing = false
    const onOperationMissing = (): void => {
      isMissing = true
    }
    const consumer = new ResponseRelay(context, { operation, formatFailure, onOperationMissing })
    await dispatch({ caller, request, usageContext: context }, target, consumer)
    if (isMissing) await sendEstimate()
  }

  return {
    complete: async (context, caller, received) => {
      context.model = received.model
      const found = catalogue.resolve(caller, received.model)
      const resolved = found instanceof Promise ? await found : found
      const unprepared = { request: received, converted: null, storedItems: null }
      const { format, sendTokenEstimate } = received.operation
      const clientRequest = format
        ? await prepare(context, caller, { received, format, resolved })
        : { ...unprepared, context, caller, received, resolved }
      if (format && sendTokenEstimate) {
        await countTokens(clientRequest, { format, sendTokenEstimate })
      } else if (needsSources(clientRequest.request, clientRequest.resolved)) {
        await completeWithSources(clientRequest)
      } else await relay(clientRequest, null)
    },

    answer: async (
      { signal = new AbortController().signal, sourcePassages, ...dispatchRequest },
      consumer,
    ) => {
      const { caller, request, usageContext } = dispatchRequest
      const { reportCost } = usageContext
      const resolved = await catalogue.resolve(caller, request.model)
      const send = async (sourced: ModelRequest, target: ResolvedModel): Promise<void> => {
        const sourcedRequest = { ...dispatchRequest, request: sourced, signal }
        await dispatch(sourcedRequest, { resolved: target, headers: {} }, consumer)
      }
      if (sourcePassages) {
        const sourcePrompt = createSourcePrompt(
          { passages: sourcePassages, overview: null },
          template(),
        )
        return send(request.with({ sourcePrompt }), resolved)
      }
      if (!needsSources(request, resolved)) return send(request, resolved)
      const sourced = await addSources(caller, { request, resolved, signal, reportCost })
      signal.throwIfAborted()
      const { citationResult } = sourced
      if (citationResult) consumer.setCitations?.(citationResult)
      return send(sourced.request, await resolveAgain(caller, request))
    },

    answerResolved: async (request, resolved, consumer) => {
      await dispatch(request, { resolved, headers: {} }, consumer)
    },
  }
}
