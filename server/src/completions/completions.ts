import { Failure } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { InFlightRequests } from "../http/in-flight-requests.ts"
import { type RequestContext, whenClosed } from "../http/request-context.ts"
import { createResponseWriter } from "../http/response-writer.ts"
import type { Citations } from "../knowledge/citations.ts"
import { createSourcePrompt, type SourcePassage } from "../knowledge/source-prompt.ts"
import type { ModelCatalogue, ResolvedModel } from "../models/catalogue.ts"
import type { UsageOutcome } from "../usage/usage-recorder.ts"
import { forwardedClientHeaders } from "./client-headers.ts"
import {
  type Dispatcher,
  type DispatchRequest,
  type DispatchTarget,
  revokedFailure,
  shutdownFailure,
} from "./dispatch.ts"
import type { ModelFilters } from "./filters.ts"
import { CompletionRelay } from "./relay.ts"
import type { ModelRequest } from "./request.ts"
import type { ResponseConsumer } from "./response-consumer.ts"
import { addSources, createSourceEncoder, needsSources, type SourceEncoder } from "./sources.ts"

interface Deps {
  catalogue: ModelCatalogue
  citations: Citations
  /** The source prompt's template; empty for the default one. */
  template: () => string
  inFlight: InFlightRequests
  filters: ModelFilters
  dispatcher: Dispatcher
}

interface AnswerRequest extends DispatchRequest {
  /**
   * Cancels the search for passages. The answer itself is stopped through its `ResponseControl`.
   */
  signal?: AbortSignal
  /** Passages of an earlier search: the answer is continued with these, without a new search. */
  sourcePassages?: readonly SourcePassage[] | null
}

const disconnectSignal = ({ outgoing }: RequestContext): AbortSignal => {
  const controller = new AbortController()
  whenClosed(outgoing, () => controller.abort())
  return controller.signal
}

/** Usage outcome of a request that a filter rejected; no tokens were consumed. */
const rejectionOutcome = (error: unknown, isDisconnected: boolean): UsageOutcome => {
  const isRejection = error instanceof Failure && error.code === "function_refused"
  const outcome = isRejection ? "refused_request" : "upstream_error"
  return {
    outcome: isDisconnected ? "client_cancelled" : outcome,
    status: error instanceof Failure ? error.status : 500,
    tokens: null,
    chunksOut: 0,
  }
}

/** Sends completion requests to an endpoint of their model and relays the responses. */
export const createCompletions = ({
  catalogue,
  citations,
  template,
  inFlight,
  filters,
  dispatcher: { dispatch, startUsageRecord },
}: Deps) => {
  /** Sends the request through the model's filters, if it has any. */
  const sendThroughFilters = (
    dispatchRequest: DispatchRequest,
    target: DispatchTarget,
    { consumer, signal }: { consumer: ResponseConsumer; signal: () => AbortSignal },
  ): Promise<void> => {
    const sendFiltered = filters.prepare(target.resolved, dispatchRequest)
    if (!sendFiltered) return dispatch(dispatchRequest, target, consumer)
    const disconnected = signal()
    const settleRejected = (error: unknown): never => {
      const usageRecorder = startUsageRecord(dispatchRequest, target.resolved)
      usageRecorder.setTarget(null, "function")
      usageRecorder.settle(rejectionOutcome(error, disconnected.aborted))
      throw error
    }
    return sendFiltered(disconnected, settleRejected, (request, resolved, filterChain) =>
      dispatch({ ...dispatchRequest, request }, { ...target, resolved, filterChain }, consumer),
    )
  }

  const createRelay = (exchange: RequestContext, sources?: SourceEncoder): ResponseConsumer =>
    new CompletionRelay({
      reply: createResponseWriter(exchange),
      sources,
      // The access log is written as soon as the response has ended.
      onFailure: (failure) => {
        exchange.failure = failure
      },
    })

  const attachSources = (
    caller: Caller,
    request: ModelRequest,
    resolved: ResolvedModel,
    signal: AbortSignal,
  ) => {
    const deps = { citations, ownerOf: catalogue.ownerOf, template }
    return addSources(deps, caller, { request, resolved, signal })
  }

  /** The search may have taken a while, and connections and grants may have changed since. */
  const resolveAgain = async (caller: Caller, { model }: ModelRequest): Promise<ResolvedModel> =>
    catalogue.resolve(caller, model)

  /** `complete` for a request whose answer is based on files. */
  const completeWithSources = async (
    exchange: RequestContext,
    { caller, request }: { caller: Caller; request: ModelRequest },
    resolved: ResolvedModel,
  ): Promise<void> => {
    const controller = new AbortController()
    const abort = (failure: Failure): void => controller.abort(failure)
    const onDisconnect = (): void => abort(new Failure("bad_request", "The client disconnected"))
    whenClosed(exchange.outgoing, onDisconnect)
    const unregister = inFlight.track(caller, {
      revoke: () => abort(revokedFailure()),
      shutDown: () => abort(shutdownFailure()),
    })
    const sourced = await attachSources(caller, request, resolved, controller.signal)
      .catch((error) => {
        controller.signal.throwIfAborted()
        throw error
      })
      .finally(unregister)
    controller.signal.throwIfAborted()
    const dispatchRequest = { caller, request: sourced.request, usageContext: exchange }
    const sources = sourced.citationResult
      ? createSourceEncoder(sourced.citationResult, request.model)
      : undefined
    const target = {
      resolved: await resolveAgain(caller, request),
      headers: forwardedClientHeaders(exchange),
    }
    await sendThroughFilters(dispatchRequest, target, {
      consumer: createRelay(exchange, sources),
      signal: () => controller.signal,
    })
  }

  return {
    /** Resolves when the response has ended. @throws {Failure} if nothing has been sent yet */
    complete: async (
      exchange: RequestContext,
      caller: Caller,
      request: ModelRequest,
    ): Promise<void> => {
      exchange.model = request.model
      const found = catalogue.resolve(caller, request.model)
      const resolved = found instanceof Promise ? await found : found
      if (needsSources(request, resolved)) {
        return completeWithSources(exchange, { caller, request }, resolved)
      }
      const dispatchRequest = { caller, request, usageContext: exchange }
      const target = { resolved, headers: forwardedClientHeaders(exchange) }
      await sendThroughFilters(dispatchRequest, target, {
        consumer: createRelay(exchange),
        signal: () => disconnectSignal(exchange),
      })
    },

    /**
     * `complete` without an HTTP response: `consumer` receives the answer. @throws {Failure}
     */
    answer: async (
      { signal = new AbortController().signal, sourcePassages, ...dispatchRequest }: AnswerRequest,
      consumer: ResponseConsumer,
    ): Promise<void> => {
      const { caller, request } = dispatchRequest
      const resolved = await catalogue.resolve(caller, request.model)
      if (sourcePassages) {
        const context = createSourcePrompt({ passages: sourcePassages, fileList: null }, template())
        const extended = { ...dispatchRequest, request: { ...request, context } }
        return sendThroughFilters(
          extended,
          { resolved, headers: {} },
          { consumer, signal: () => signal },
        )
      }
      if (!needsSources(request, resolved)) {
        return sendThroughFilters(
          dispatchRequest,
          { resolved, headers: {} },
          { consumer, signal: () => signal },
        )
      }
      const sourced = await attachSources(caller, request, resolved, signal)
      signal.throwIfAborted()
      const { citationResult } = sourced
      if (citationResult) consumer.setCitations?.(citationResult)
      const extended = { ...dispatchRequest, request: sourced.request }
      const target = { resolved: await resolveAgain(caller, request), headers: {} }
      await sendThroughFilters(extended, target, {
        consumer,
        signal: () => signal,
      })
    },
  }
}

export type Completions = ReturnType<typeof createCompletions>
