import type { Upstream } from "../connections/connection.ts"
import { forwardedHeaders } from "../connections/response-headers.ts"
import type { FailoverHandler } from "../connections/send.ts"
import { upstreamFailure } from "../connections/upstream-errors.ts"
import type { Failure } from "../errors.ts"
import { type ErrorStyle, errorBody } from "../http/errors.ts"
import type { ResponseWriter } from "../http/response-writer.ts"
import type { RequestHandle } from "../outbound/client.ts"
import { headerOf } from "../outbound/response-head.ts"
import type { UpstreamError } from "../outbound/upstream-error.ts"
import { outcomeOfErrorStatus } from "../usage/outcome.ts"
import type { RequestOutcome } from "../usage/schema.ts"
import type { UsageRecorder } from "../usage/usage-recorder.ts"
import { NativeUsageScanner } from "./usage-scanner.ts"

interface Deps {
  reply: ResponseWriter
  errorStyle: ErrorStyle
  /** Null for requests that do not use a model. */
  usageRecorder: UsageRecorder | null
  /** Called once when the response has ended. `status` is 0 if there was no response. */
  onDone: (status: number, failure?: Failure) => void
}

const outcomeOf = (status: number): RequestOutcome =>
  status < 400 ? "ok" : outcomeOfErrorStatus(status)

/** Relays a native response: its status, its allowed headers, and its bytes as they arrive. */
export class NativeRelay implements FailoverHandler {
  readonly #deps: Deps
  readonly #scanner = new NativeUsageScanner()
  #handle: RequestHandle | null = null
  #upstream: Upstream | null = null
  #status = 0
  #type = ""
  /** Whether the client was sent a content length, so that nothing can be appended. */
  #hasLength = false
  #isDone = false

  constructor(deps: Deps) {
    this.#deps = deps
    deps.reply.onDrain(() => this.#handle?.resume())
    deps.reply.onDisconnect(() => this.stop("client_cancelled"))
  }

  attach(handle: RequestHandle): void {
    if (this.#isDone) handle.cancel()
    this.#handle = handle
  }

  onConnectionSelected(upstream: Upstream): void {
    this.#upstream = upstream
    this.#deps.usageRecorder?.setTarget(upstream.config.id, upstream.config.kind)
  }

  onHead(status: number, rawHeaders: readonly string[]): void {
    this.#status = status
    this.#type = headerOf(rawHeaders, "content-type") ?? ""
    const headers = forwardedHeaders(rawHeaders)
    const length = headerOf(rawHeaders, "content-length")
    this.#hasLength = length !== null
    if (length !== null) headers.push("content-length", length)
    this.#deps.reply.head(status, headers)
    this.#deps.reply.flushSoon()
  }

  onData(chunk: Buffer): boolean {
    this.#deps.usageRecorder?.markFirstToken()
    this.#scanner.push(chunk)
    return this.#deps.reply.write(chunk)
  }

  onEnd(): void {
    if (this.#isDone) return
    this.#deps.reply.end()
    this.#finish(outcomeOf(this.#status))
  }

  onError(error: UpstreamError): void {
    if (this.#isDone) return
    this.#endWithError(upstreamFailure(error, this.#upstream), "upstream_error")
  }

  /**
   * Ends the response from the gateway's side: the client disconnected, its credential was revoked,
   * or the gateway is shutting down.
   */
  stop(outcome: "client_cancelled" | "revoked" | "shut_down", failure?: Failure): void {
    if (this.#isDone) return
    this.#handle?.cancel()
    if (failure) this.#endWithError(failure, outcome)
    else this.#finish(outcome)
  }

  #endWithError(failure: Failure, outcome: RequestOutcome): void {
    const { reply, errorStyle } = this.#deps
    if (this.#status === 0) reply.sendFailure(errorStyle, failure)
    else if (this.#hasLength) reply.abort()
    else if (this.#type.includes("ndjson")) reply.end(this.#errorLine(failure))
    else if (this.#type.startsWith("text/event-stream")) reply.end(this.#errorEvent(failure))
    else reply.abort()
    this.#finish(outcome, failure)
  }

  /** Ollama reports an error within a stream as a line with `error`. */
  #errorLine(failure: Failure): string {
    return `${this.#scanner.isAtLineEnd ? "" : "\n"}${errorBody("runtime", failure)}\n`
  }

  #errorEvent(failure: Failure): string {
    const { error } = JSON.parse(errorBody("openai", failure))
    // An event may still be open after a complete line; the extra newline keeps this from becoming
    // part of it.
    return `${this.#scanner.isAtLineEnd ? "\n" : "\n\n"}data: ${JSON.stringify({ error })}\n\n`
  }

  #finish(outcome: RequestOutcome, failure?: Failure): void {
    if (this.#isDone) return
    this.#isDone = true
    const { usageRecorder, onDone } = this.#deps
    const status = this.#status || (failure?.status ?? 0)
    const tokens = outcome === "ok" ? this.#scanner.readTokens() : null
    usageRecorder?.settle({ outcome, status, tokens, chunksOut: this.#scanner.lineCount })
    onDone(this.#status, failure)
  }
}
