import type { Upstream } from "../connections/connection.ts"
import { failureOf } from "../connections/upstream-errors.ts"
import { Failure } from "../errors.ts"
import { readErrorBody } from "../formats/error-body.ts"
import type { Abilities, ReplyHears } from "../functions/host-services.ts"
import { toFailure } from "../http/errors.ts"
import { bodyOf } from "../http/json-object.ts"
import type { Flow } from "../outbound/client.ts"
import { headerOf } from "../outbound/response-head.ts"
import { UnreadableReply, type UpstreamError } from "../outbound/upstream-error.ts"
import { outcomeOfErrorStatus } from "../usage/outcome.ts"
import type { Outcome } from "../usage/schema.ts"
import { countedTokens } from "../usage/token-counts.ts"
import type { Meter } from "../usage/usage-recorder.ts"
import type { Chat } from "./completions.ts"
import type { Hearing } from "./dispatch.ts"
import { type ModelRequest, readRequest } from "./request.ts"
import { hidesUsage } from "./request-body.ts"
import { chatEndings, Frames } from "./sse-scanner.ts"
import { wholeError } from "./upstream-response.ts"

const maxErrorBytes = 64 * 1024
const maxWholeBytes = 16_000_000

interface Deps {
  request: ModelRequest
  meter: Meter
  hears: ReplyHears
  over: (failure?: Failure) => void
}

/** Passes a response on to the function that requested it, and records its usage. */
class InnerHearing implements Hearing, Flow {
  readonly #deps: Deps
  readonly #scanner: Frames
  #handle: Flow | null = null
  #upstream: Upstream | null = null
  #stage: "waiting" | "error" | "whole" | "stream" | "over" = "waiting"
  #status = 0
  #buffered: Buffer[] = []
  #bufferedBytes = 0

  constructor(deps: Deps) {
    this.#deps = deps
    this.#scanner = new Frames(chatEndings, hidesUsage(deps.request))
  }

  follow(flow: Flow): void {
    if (this.#stage === "over") flow.cancel()
    this.#handle = flow
  }

  resume(): void {
    this.#handle?.resume()
  }

  /** Called when the function no longer wants the response. */
  cancel(): void {
    if (this.#stage === "over") return
    this.#handle?.cancel()
    this.#settle("client_cancelled")
  }

  chosen(upstream: Upstream): void {
    this.#upstream = upstream
    this.#deps.meter.sentTo(upstream.config.id, upstream.config.kind)
  }

  head(status: number, rawHeaders: readonly string[]): void {
    this.#status = status
    const streamed = (headerOf(rawHeaders, "content-type") ?? "").startsWith("text/event-stream")
    if (status < 200 || status > 299) this.#stage = "error"
    else this.#stage = streamed ? "stream" : "whole"
    if (this.#stage !== "error") this.#deps.hears.begins(streamed)
  }

  data(chunk: Buffer): boolean {
    if (this.#stage === "stream") {
      this.#deps.meter.firstToken()
      const bytes = this.#scanner.pass(chunk)
      return bytes.length === 0 || this.#deps.hears.data(bytes)
    }
    if (this.#stage === "over") return true
    this.#bufferedBytes += chunk.length
    if (this.#stage === "whole" && this.#bufferedBytes > maxWholeBytes) {
      throw new UnreadableReply(`it exceeds ${maxWholeBytes / 1e6} MB`)
    }
    this.#buffered.push(chunk)
    // Error bodies longer than this are truncated.
    if (this.#stage === "error" && this.#bufferedBytes > maxErrorBytes) this.#rejectWithError()
    return true
  }

  end(): void {
    if (this.#stage === "error") this.#rejectWithError()
    else if (this.#stage === "whole") this.#sendWhole()
    else if (this.#stage === "stream") this.#endStream()
  }

  broke(error: UpstreamError): void {
    if (this.#stage === "error") this.#rejectWithError()
    else this.stop("upstream_error", failureOf(error, this.#upstream))
  }

  stop(outcome: Outcome, failure?: Failure): void {
    if (this.#stage === "over") return
    this.#handle?.cancel()
    const why = failure ?? new Failure("unavailable", "The response was stopped.")
    this.#settle(outcome, why)
    this.#deps.hears.failed(why)
  }

  #endStream(): void {
    const rest = this.#scanner.remainder()
    if (rest.length > 0) this.#deps.hears.data(rest)
    if (!this.#scanner.ended && !this.#scanner.finished) {
      const name = this.#upstream?.config.name
      const message = `The provider "${name}" ended its response prematurely.`
      this.stop("upstream_error", new Failure("upstream_broken", message))
      return
    }
    this.#deps.hears.end()
    this.#settle("ok")
  }

  #sendWhole(): void {
    const body = Buffer.concat(this.#buffered)
    try {
      this.#scanner.tokens = countedTokens(JSON.parse(body.toString("utf8")).usage)
    } catch {
      const message = "The provider's response is not a completion."
      this.stop("upstream_error", new Failure("upstream_broken", message))
      return
    }
    this.#deps.meter.firstToken()
    this.#deps.hears.data(body)
    this.#deps.hears.end()
    this.#settle("ok")
  }

  #rejectWithError(): void {
    const error = wholeError(this.#status, Buffer.concat(this.#buffered), this.#upstream)
    if (error instanceof Failure) {
      this.stop("upstream_error", error)
      return
    }
    const outcome = outcomeOfErrorStatus(error.status)
    const reported = readErrorBody(error.body.toString("utf8"))
    const message = reported?.message ?? `The provider responded with status ${error.status}.`
    const code = outcome === "refused_request" ? "bad_request" : "upstream_broken"
    this.stop(outcome, new Failure(code, message))
  }

  #settle(outcome: Outcome, failure?: Failure): void {
    this.#stage = "over"
    const { tokens, events } = this.#scanner
    const status = failure && this.#status === 0 ? failure.status : this.#status
    this.#deps.meter.settle({ outcome, status, tokens, piecesOut: events })
    this.#deps.over(failure)
  }
}

/**
 * Lets functions call models on behalf of the user who called the function. Each call gets its own
 * usage record.
 */
export const createInner =
  (chat: Chat): Abilities["ask"] =>
  ({ caller, requestId, above }, { operation, fields }, hears) => {
    let inner: InnerHearing | null = null
    let cancelled = false
    const stopped = new AbortController()
    const ask = async (): Promise<void> => {
      const read = readRequest(operation, bodyOf(Buffer.from(JSON.stringify(fields))))
      const request: ModelRequest = { ...read, above }
      const book = { requestId, startedAt: performance.now() }
      const { signal } = stopped
      await chat.answer({ caller, request, book, signal }, (meter, over) => {
        inner = new InnerHearing({ request, meter, hears, over })
        if (cancelled) inner.cancel()
        return inner
      })
    }
    ask().catch((error: unknown) => {
      if (!cancelled) hears.failed(toFailure(error))
    })
    return {
      resume: () => inner?.resume(),
      cancel: () => {
        cancelled = true
        stopped.abort()
        inner?.cancel()
      },
    }
  }
