import { Failure } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { InFlightRequests } from "../http/in-flight-requests.ts"
import { type RequestContext, whenClosed } from "../http/request-context.ts"
import type { Citations } from "../knowledge/citations.ts"
import { createSourcePrompt, type SourcePassage } from "../knowledge/source-prompt.ts"
import type { ModelCatalogue, ResolvedModel } from "../models/catalogue.ts"
import { forwardedClientHeaders } from "./client-headers.ts"
import type { Dispatch, DispatchRequest } from "./dispatch.ts"
import { CompletionRelay } from "./relay.ts"
import type { ModelRequest } from "./request.ts"
import type { ResponseConsumer } from "./response-consumer.ts"
import { createSourceEncoder, createSourceSearch, needsSources } from "./sources.ts"
import { revokedFailure, shutdownFailure } from "./tracked-response.ts"

interface Deps {
  catalogue: ModelCatalogue
  citations: Citations
  /** The source prompt's template; empty for the default one. */
  template: () => string
  inFlight: InFlightRequests
  dispatch: Dispatch
}

interface AnswerRequest extends DispatchRequest {
  /** Passages of an earlier search: the answer is continued with these, without a new search. */
  sourcePassages?: readonly SourcePassage[] | null
}

/** Sends completion requests to an endpoint of their model and relays the responses. */
export const createCompletions = ({ catalogue, citations, template, inFlight, dispatch }: Deps) => {
  const addSources = createSourceSearch({ citations, ownerOf: catalogue.ownerOf, template })

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
    const sourced = await addSources(caller, { request, resolved, signal: controller.signal })
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
    await dispatch(dispatchRequest, target, new CompletionRelay(exchange, sources))
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
      await dispatch(dispatchRequest, target, new CompletionRelay(exchange))
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
      const send = async (sourced: ModelRequest, target: ResolvedModel): Promise<void> => {
        const sourcedRequest = { ...dispatchRequest, request: sourced, signal }
        await dispatch(sourcedRequest, { resolved: target, headers: {} }, consumer)
      }
      if (sourcePassages) {
        const context = createSourcePrompt({ passages: sourcePassages, fileList: null }, template())
        return send({ ...request, context }, resolved)
      }
      if (!needsSources(request, resolved)) return send(request, resolved)
      const sourced = await addSources(caller, { request, resolved, signal })
      signal.throwIfAborted()
      const { citationResult } = sourced
      if (citationResult) consumer.setCitations?.(citationResult)
      return send(sourced.request, await resolveAgain(caller, request))
    },
  }
}

export type Completions = ReturnType<typeof createCompletions>
