import { Failure } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { Running } from "../http/in-flight-requests.ts"
import { type Exchange, whenClosed } from "../http/request-context.ts"
import { createReply } from "../http/response-writer.ts"
import type { Citations } from "../knowledge/citations.ts"
import { createSourcePrompt, type SourcePassage } from "../knowledge/source-prompt.ts"
import type { Catalogue, Resolved } from "../models/catalogue.ts"
import type { Ended } from "../usage/usage-recorder.ts"
import { clientHeaders } from "./client-headers.ts"
import {
  type Asking,
  type Dispatching,
  type Hear,
  type Route,
  revoked,
  shutDown,
} from "./dispatch.ts"
import type { Filtering } from "./filters.ts"
import { Relay } from "./relay.ts"
import type { ModelRequest } from "./request.ts"
import { hidesUsage } from "./request-body.ts"
import { asksForFiles, type SourceWords, withSources, wordsOf } from "./sources.ts"
import { chatEndings, Frames, responseEndings } from "./sse-scanner.ts"

interface Deps {
  catalogue: Catalogue
  citations: Citations
  /** The source prompt's template; empty for the default one. */
  template: () => string
  running: Running
  filtering: Filtering
  dispatching: Dispatching
}

interface AskingForChat extends Asking {
  /**
   * Cancels the search for passages. The answer itself is stopped through its `ResponseConsumer`.
   */
  signal?: AbortSignal
  /** Passages of an earlier search: the answer is continued with these, without a new search. */
  quoted?: readonly SourcePassage[] | null
}

const goneSignal = ({ outgoing }: Exchange): AbortSignal => {
  const gone = new AbortController()
  whenClosed(outgoing, () => gone.abort())
  return gone.signal
}

/** Usage outcome of a request that a filter rejected; no tokens were consumed. */
const refusedBy = (error: unknown, isGone: boolean): Ended => {
  const refused = error instanceof Failure && error.code === "function_refused"
  const ended = refused ? "refused_request" : "upstream_error"
  return {
    outcome: isGone ? "client_cancelled" : ended,
    status: error instanceof Failure ? error.status : 500,
    tokens: null,
    piecesOut: 0,
  }
}

/** Sends completion requests to an endpoint of their model and relays the responses. */
export const createChat = ({
  catalogue,
  citations,
  template,
  running,
  filtering,
  dispatching: { dispatch, meterFor },
}: Deps) => {
  /** Sends the request through the model's filters, if it has any. */
  const through = (
    asking: Asking,
    route: Route,
    { hear, signal }: { hear: Hear; signal: () => AbortSignal },
  ): Promise<void> => {
    const around = filtering.around(route.resolved, asking)
    if (!around) return dispatch(asking, route, hear)
    const gone = signal()
    const refused = (error: unknown): never => {
      const meter = meterFor(asking, route.resolved)
      meter.sentTo(null, "function")
      meter.settle(refusedBy(error, gone.aborted))
      throw error
    }
    return around(gone, refused, (request, resolved, within) =>
      dispatch({ ...asking, request }, { ...route, resolved }, within(hear)),
    )
  }

  const relayTo =
    (exchange: Exchange, request: ModelRequest, sources?: SourceWords): Hear =>
    (meter, over) => {
      const endings = request.operation === "responses" ? responseEndings : chatEndings
      const frames = new Frames(endings, hidesUsage(request))
      return new Relay({
        reply: createReply(exchange),
        meter,
        frames,
        sources,
        over: (failure) => {
          // Set synchronously: the access log is written before any pending promise runs.
          if (failure) exchange.failure = failure
          over(failure)
        },
      })
    }

  const find = (caller: Caller, request: ModelRequest, resolved: Resolved, signal: AbortSignal) => {
    const deps = { citations, ownerOf: catalogue.ownerOf, template }
    return withSources(deps, caller, { request, resolved, signal })
  }

  /** The search may have taken a while, and connections and grants may have changed since. */
  const again = async (caller: Caller, { model }: ModelRequest): Promise<Resolved> =>
    catalogue.resolve(caller, model)

  /** `complete` for a request whose answer is based on files. */
  const completeWithFiles = async (
    exchange: Exchange,
    { caller, request }: { caller: Caller; request: ModelRequest },
    resolved: Resolved,
  ): Promise<void> => {
    const gone = new AbortController()
    const end = (failure: Failure): void => gone.abort(failure)
    const left = (): void => end(new Failure("bad_request", "The client disconnected"))
    whenClosed(exchange.outgoing, left)
    const leave = running.enter(caller, {
      revoke: () => end(revoked()),
      shutDown: () => end(shutDown()),
    })
    const sourced = await find(caller, request, resolved, gone.signal)
      .catch((error) => {
        gone.signal.throwIfAborted()
        throw error
      })
      .finally(leave)
    gone.signal.throwIfAborted()
    const asking = { caller, request: sourced.request, book: exchange }
    const words = sourced.cited ? wordsOf(sourced.cited, request.model) : undefined
    const route = { resolved: await again(caller, request), headers: clientHeaders(exchange) }
    const hear = relayTo(exchange, sourced.request, words)
    await through(asking, route, { hear, signal: () => gone.signal })
  }

  return {
    /** Resolves when the response has ended. @throws {Failure} if nothing has been sent yet */
    complete: async (exchange: Exchange, caller: Caller, request: ModelRequest): Promise<void> => {
      exchange.model = request.model
      const found = catalogue.resolve(caller, request.model)
      const resolved = found instanceof Promise ? await found : found
      if (asksForFiles(request, resolved)) {
        return completeWithFiles(exchange, { caller, request }, resolved)
      }
      const asking = { caller, request, book: exchange }
      const route = { resolved, headers: clientHeaders(exchange) }
      const hear = relayTo(exchange, request)
      await through(asking, route, { hear, signal: () => goneSignal(exchange) })
    },

    /**
     * `complete` without an HTTP response: `createConsumer` receives the answer. @throws {Failure}
     */
    answer: async (
      { signal = new AbortController().signal, quoted, ...asking }: AskingForChat,
      hear: Hear,
    ): Promise<void> => {
      const { caller, request } = asking
      const resolved = await catalogue.resolve(caller, request.model)
      if (quoted) {
        const context = createSourcePrompt({ passages: quoted, fileList: null }, template())
        const told = { ...asking, request: { ...request, context } }
        return through(told, { resolved, headers: {} }, { hear, signal: () => signal })
      }
      if (!asksForFiles(request, resolved)) {
        return through(asking, { resolved, headers: {} }, { hear, signal: () => signal })
      }
      const sourced = await find(caller, request, resolved, signal)
      signal.throwIfAborted()
      const { cited } = sourced
      const citedHear: Hear = (...told) => {
        const hearing = hear(...told)
        if (cited) hearing.cited?.(cited)
        return hearing
      }
      const told = { ...asking, request: sourced.request }
      const route = { resolved: await again(caller, request), headers: {} }
      await through(told, route, { hear: citedHear, signal: () => signal })
    },
  }
}

export type Chat = ReturnType<typeof createChat>
