import { Failure } from "../errors.ts"
import type { InboundFormat } from "../formats/inbound-format.ts"
import { messagesFormat } from "../formats/messages/messages-format.ts"
import type { Caller } from "../http/caller.ts"
import type { InFlightRequests } from "../http/in-flight-requests.ts"
import { type RequestContext, whenClosed } from "../http/request-context.ts"
import { defaultHeartbeatMs, type SseOptions } from "../http/sse-response.ts"
import type { AnswerSources, Citations } from "../knowledge/citations.ts"
import { createSourcePrompt, type SourcePassage } from "../knowledge/source-prompt.ts"
import type { ModelCatalogue, ResolvedModel } from "../models/catalogue.ts"
import { forwardedClientHeaders } from "./client-headers.ts"
import {
  type ConvertedRequest,
  convertRequest,
  createConversion,
  findInboundFormat,
  readsPrompt,
  relayFormatOf,
  speaksFormat,
} from "./conversion.ts"
import type { Dispatch, DispatchRequest } from "./dispatch.ts"
import { DroppedFields } from "./dropped-fields.ts"
import type { ModelFilters } from "./filters.ts"
import { estimatePromptTokens } from "./prompt-tokens.ts"
import { CompletionRelay } from "./relay.ts"
import type { ModelRequest } from "./request.ts"
import type { ResponseConsumer } from "./response-consumer.ts"
import { createSourceEncoder } from "./source-encoder.ts"
import { createSourceSearch, needsSources } from "./sources.ts"
import { sendTokenCount, TokenCountRelay } from "./token-count-relay.ts"
import { revokedFailure, shutdownFailure } from "./tracked-response.ts"

interface Deps extends SseOptions {
  catalogue: ModelCatalogue
  citations: Citations
  /** The source prompt's template; empty for the default one. */
  template: () => string
  inFlight: InFlightRequests
  dispatch: Dispatch
  filters: ModelFilters
}

/** A request as it is sent, and the exchange that it belongs to. */
interface ClientRequest {
  exchange: RequestContext
  caller: Caller
  request: ModelRequest
  /** Null if the client sent the request in this format. */
  converted: ConvertedRequest | null
}

interface AnswerRequest extends DispatchRequest {
  /** Passages of an earlier search: the answer is continued with these, without a new search. */
  sourcePassages?: readonly SourcePassage[] | null
}

/** Sends completion requests to an endpoint of their model and relays the responses. */
export const createCompletions = ({
  catalogue,
  citations,
  template,
  inFlight,
  dispatch,
  filters,
  heartbeatMs = defaultHeartbeatMs,
}: Deps) => {
  const addSources = createSourceSearch({ citations, ownerOf: catalogue.ownerOf, template })

  /** The search may have taken a while, and connections and grants may have changed since. */
  const resolveAgain = async (caller: Caller, { model }: ModelRequest): Promise<ResolvedModel> =>
    catalogue.resolve(caller, model)

  /** Sends a request, whose sources are already part of its prompt, and relays the response. */
  const relay = async (
    { exchange, caller, request, converted }: ClientRequest,
    resolved: ResolvedModel,
    citationResult: AnswerSources | null,
  ): Promise<void> => {
    const conversion = converted ? createConversion(converted, citationResult) : undefined
    const dropped = new DroppedFields(converted?.dropped ?? [])
    const sources =
      citationResult && !conversion ? createSourceEncoder(citationResult, request.model) : undefined
    const format = relayFormatOf(converted?.original ?? request)
    const pingMs = request.streamed && format.ping !== null ? heartbeatMs : undefined
    const consumer = new CompletionRelay(exchange, { format, sources, dropped, pingMs })
    const target = { resolved, headers: forwardedClientHeaders(exchange) }
    const dispatchRequest = { caller, request, usageContext: exchange, conversion, dropped }
    await dispatch(dispatchRequest, target, consumer)
  }

  /** `complete` for a request whose answer is based on files. */
  const completeWithSources = async (
    clientRequest: ClientRequest,
    resolved: ResolvedModel,
  ): Promise<void> => {
    const { exchange, caller, request } = clientRequest
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
    const present = await resolveAgain(caller, request)
    await relay({ ...clientRequest, request: sourced.request }, present, sourced.citationResult)
  }

  /** Converts a request that cannot be sent as it is; null if it can. @throws {Failure} */
  const convertIfNeeded = async (
    request: ModelRequest,
    format: InboundFormat,
    resolved: ResolvedModel,
  ): Promise<ConvertedRequest | null> => {
    const hasToRead = readsPrompt(request, resolved, filters.areAttachedTo(resolved))
    if (!hasToRead && (await speaksFormat(request, resolved))) return null
    return convertRequest(request, format, !hasToRead)
  }

  return {
    /** Resolves when the response has ended. @throws {Failure} if nothing has been sent yet */
    complete: async (
      exchange: RequestContext,
      caller: Caller,
      received: ModelRequest,
    ): Promise<void> => {
      exchange.model = received.model
      const found = catalogue.resolve(caller, received.model)
      const resolved = found instanceof Promise ? await found : found
      const inboundFormat = findInboundFormat(received)
      const converted = inboundFormat
        ? await convertIfNeeded(received, inboundFormat, resolved)
        : null
      const request = converted?.canonical ?? received
      const clientRequest = { exchange, caller, request, converted }
      if (needsSources(request, resolved)) await completeWithSources(clientRequest, resolved)
      else await relay(clientRequest, resolved, null)
    },

    /**
     * Responds with the provider's count of a message's input tokens, otherwise with an estimate.
     * @throws {Failure} if nothing has been sent yet
     */
    countTokens: async (
      exchange: RequestContext,
      caller: Caller,
      request: ModelRequest,
    ): Promise<void> => {
      exchange.model = request.model
      const resolved = await catalogue.resolve(caller, request.model)
      const estimate = (): number =>
        estimatePromptTokens(convertRequest(request, messagesFormat, false).canonical.fields)
      const isForwarded =
        !readsPrompt(request, resolved, filters.areAttachedTo(resolved)) &&
        (await speaksFormat(request, resolved))
      if (!isForwarded) return sendTokenCount(exchange, estimate())
      const target = { resolved, headers: forwardedClientHeaders(exchange) }
      const dispatchRequest = { caller, request, usageContext: exchange }
      await dispatch(dispatchRequest, target, new TokenCountRelay(exchange, estimate))
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
