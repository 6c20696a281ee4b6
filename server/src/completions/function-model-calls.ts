import type { Upstream } from "../connections/connection.ts"
import { upstreamFailure } from "../connections/upstream-errors.ts"
import { Failure } from "../errors.ts"
import { readErrorBody } from "../formats/error-body.ts"
import type { HostServices, ModelResponseHandler } from "../functions/host-services.ts"
import { toFailure } from "../http/errors.ts"
import { toJsonBody } from "../http/json-object.ts"
import type { RequestHandle } from "../outbound/client.ts"
import { headerOf } from "../outbound/response-head.ts"
import { MalformedResponse, type UpstreamError } from "../outbound/upstream-error.ts"
import { outcomeOfErrorStatus } from "../usage/outcome.ts"
import type { RequestOutcome } from "../usage/schema.ts"
import { parseTokenCounts } from "../usage/token-counts.ts"
import type { UsageRecorder } from "../usage/usage-recorder.ts"
import type { Completions } from "./completions.ts"
import type { ResponseConsumer } from "./dispatch.ts"
import { type ModelRequest, parseModelRequest } from "./request.ts"
import { hidesUsage } from "./request-body.ts"
import { chatEndMarkers, SseScanner } from "./sse-scanner.ts"
import { toErrorReply } from "./upstream-response.ts"

const maxErrorBytes = 64 * 1024
const maxResponseBytes = 16_000_000

interface Deps {
  request: ModelRequest
  usageRecorder: UsageRecorder
  handler: ModelResponseHandler
  onDone: (failure?: Failure) => void
}

/** Passes a response on to the function that requested it, and records its usage. */
class FunctionResponseConsumer implements ResponseConsumer, RequestHandle {
  readonly #deps: Deps
  readonly #scanner: SseScanner
  #handle: RequestHandle | null = null
  #upstream: Upstream | null = null
  #stage: "waiting" | "error" | "whole" | "stream" | "over" = "waiting"
  #status = 0
  #buffered: Buffer[] = []
  #bufferedBytes = 0

  constructor(deps: Deps) {
    this.#deps = deps
    this.#scanner = new SseScanner(chatEndMarkers, hidesUsage(deps.request))
  }

  attach(handle: RequestHandle): void {
    if (this.#stage === "over") handle.cancel()
    this.#handle = handle
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

  onConnectionSelected(upstream: Upstream): void {
    this.#upstream = upstream
    this.#deps.usageRecorder.setTarget(upstream.config.id, upstream.config.kind)
  }

  onHead(status: number, rawHeaders: readonly string[]): void {
    this.#status = status
    const streamed = (headerOf(rawHeaders, "content-type") ?? "").startsWith("text/event-stream")
    if (status < 200 || status > 299) this.#stage = "error"
    else this.#stage = streamed ? "stream" : "whole"
    if (this.#stage !== "error") this.#deps.handler.start(streamed)
  }

  onData(chunk: Buffer): boolean {
    if (this.#stage === "stream") {
      this.#deps.usageRecorder.markFirstToken()
      const bytes = this.#scanner.push(chunk)
      return bytes.length === 0 || this.#deps.handler.data(bytes)
    }
    if (this.#stage === "over") return true
    this.#bufferedBytes += chunk.length
    if (this.#stage === "whole" && this.#bufferedBytes > maxResponseBytes) {
      throw new MalformedResponse(`it exceeds ${maxResponseBytes / 1e6} MB`)
    }
    this.#buffered.push(chunk)
    // Error bodies longer than this are truncated.
    if (this.#stage === "error" && this.#bufferedBytes > maxErrorBytes) this.#rejectWithError()
    return true
  }

  onEnd(): void {
    if (this.#stage === "error") this.#rejectWithError()
    else if (this.#stage === "whole") this.#sendWhole()
    else if (this.#stage === "stream") this.#endStream()
  }

  onError(error: UpstreamError): void {
    if (this.#stage === "error") this.#rejectWithError()
    else this.stop("upstream_error", upstreamFailure(error, this.#upstream))
  }

  stop(outcome: RequestOutcome, failure?: Failure): void {
    if (this.#stage === "over") return
    this.#handle?.cancel()
    const why = failure ?? new Failure("unavailable", "The response was stopped.")
    this.#settle(outcome, why)
    this.#deps.handler.failed(why)
  }

  #endStream(): void {
    const rest = this.#scanner.takeRemainder()
    if (rest.length > 0) this.#deps.handler.data(rest)
    if (!this.#scanner.hasTerminator && !this.#scanner.hasFinishReason) {
      const name = this.#upstream?.config.name
      const message = `The provider "${name}" ended its response prematurely.`
      this.stop("upstream_error", new Failure("upstream_broken", message))
      return
    }
    this.#deps.handler.end()
    this.#settle("ok")
  }

  #sendWhole(): void {
    const body = Buffer.concat(this.#buffered)
    try {
      this.#scanner.tokens = parseTokenCounts(JSON.parse(body.toString("utf8")).usage)
    } catch {
      const message = "The provider's response is not a completion."
      this.stop("upstream_error", new Failure("upstream_broken", message))
      return
    }
    this.#deps.usageRecorder.markFirstToken()
    this.#deps.handler.data(body)
    this.#deps.handler.end()
    this.#settle("ok")
  }

  #rejectWithError(): void {
    const error = toErrorReply(this.#status, Buffer.concat(this.#buffered), this.#upstream)
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

  #settle(outcome: RequestOutcome, failure?: Failure): void {
    this.#stage = "over"
    const { tokens, eventCount } = this.#scanner
    const status = failure && this.#status === 0 ? failure.status : this.#status
    this.#deps.usageRecorder.settle({ outcome, status, tokens, chunksOut: eventCount })
    this.#deps.onDone(failure)
  }
}

/**
 * Lets functions call models on behalf of the user who called the function. Each call gets its own
 * usage record.
 */
export const createModelCaller =
  (completions: Completions): HostServices["requestModel"] =>
  ({ caller, requestId, above }, { operation, fields }, handler) => {
    let consumer: FunctionResponseConsumer | null = null
    let cancelled = false
    const controller = new AbortController()
    const run = async (): Promise<void> => {
      const parsed = parseModelRequest(operation, toJsonBody(Buffer.from(JSON.stringify(fields))))
      const request: ModelRequest = { ...parsed, callingFunctions: above }
      const usageContext = { requestId, startedAt: performance.now() }
      const { signal } = controller
      await completions.answer(
        { caller, request, usageContext, signal },
        (usageRecorder, onDone) => {
          consumer = new FunctionResponseConsumer({ request, usageRecorder, handler, onDone })
          if (cancelled) consumer.cancel()
          return consumer
        },
      )
    }
    run().catch((error: unknown) => {
      if (!cancelled) handler.failed(toFailure(error))
    })
    return {
      resume: () => consumer?.resume(),
      cancel: () => {
        cancelled = true
        controller.abort()
        consumer?.cancel()
      },
    }
  }
