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
  /** How sources are put to the model; empty for the usual way. */
  template: () => string
  running: Running
  filtering: Filtering
  dispatching: Dispatching
}

interface AskingForChat extends Asking {
  /** Ends the search for passages; what is being written is ended by its `Hearing`. */
  signal?: AbortSignal
  /** Passages found before: the answer goes on with these, and none are sought. */
  quoted?: readonly SourcePassage[] | null
}

const goneSignal = ({ outgoing }: Exchange): AbortSignal => {
  const gone = new AbortController()
  whenClosed(outgoing, () => gone.abort())
  return gone.signal
}

/** How a request that a filter let no further stands in the book: nothing was read. */
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

/** Takes a request that was read to a connection that has its model, and the reply back. */
export const createChat = ({
  catalogue,
  citations,
  template,
  running,
  filtering,
  dispatching: { dispatch, meterFor },
}: Deps) => {
  /** As `dispatch`, with the filters that stand before the model. */
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
          // At once: the log line is written before any promise goes on.
          if (failure) exchange.failure = failure
          over(failure)
        },
      })
    }

  const find = (caller: Caller, request: ModelRequest, resolved: Resolved, signal: AbortSignal) => {
    const deps = { citations, ownerOf: catalogue.ownerOf, template }
    return withSources(deps, caller, { request, resolved, signal })
  }

  /** Files may have been waited for, and connections and grants have changed meanwhile. */
  const again = async (caller: Caller, { model }: ModelRequest): Promise<Resolved> =>
    catalogue.resolve(caller, model)

  /** As `complete`, for a request whose answer is to rest on files. */
  const completeWithFiles = async (
    exchange: Exchange,
    { caller, request }: { caller: Caller; request: ModelRequest },
    resolved: Resolved,
  ): Promise<void> => {
    const gone = new AbortController()
    const end = (failure: Failure): void => gone.abort(failure)
    const left = (): void => end(new Failure("bad_request", "The client left"))
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
    /** Resolves when the reply is over. @throws {Failure} while nothing was sent yet */
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

    /** The same without a client's reply: `hear` makes what keeps the answer. @throws {Failure} */
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
