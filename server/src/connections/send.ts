import {
  RefusedError,
  type RequestHandle,
  type ResponseHandler,
  type ResponseListener,
  type SentRequest,
  UpstreamError,
  type UpstreamRequest,
} from "@portico/http1"
import { Failure } from "../errors.ts"
import { type EventLoopShare, turnCosts } from "../limits/fair-loop.ts"
import type { Upstream } from "./connection.ts"

/**
 * Statuses worth trying another connection for: busy and gateway errors, known before the body.
 * Anthropic uses 529 for an overloaded service.
 */
const retryableStatuses = new Set([429, 502, 503, 504, 529])
const maxRetryBodyBytes = 64 * 1024
/** How long to wait for the body of such a response before trying the next connection. */
const retryBodyTimeoutMs = 1000

export interface ConnectionAttempt {
  upstream: Upstream
  /** Whether a model answers. Only such requests affect the circuit breaker's recovery. */
  usesModel: boolean
  /**
   * Builds the request when this attempt is made; most attempts never are.
   * @throws {Failure} if the provider does not support a part of it; the next attempt is then made
   */
  request: () => UpstreamRequest | Promise<UpstreamRequest>
  /** Omitted if the response needs no conversion. @returns what receives the original response */
  convert?: ((receiver: ResponseHandler) => ResponseHandler) | undefined
}

export interface FailoverHandler extends ResponseListener {
  /** Called with each connection that is tried. */
  onConnectionSelected(upstream: Upstream): void
}

interface SendOptions {
  /** Time limit for the response's head, across all attempts. */
  timeoutMs: number
  /** The caller's share of the event loop, charged for each chunk. */
  share: EventLoopShare
}

interface BufferedResponse {
  upstream: Upstream
  receiver: ResponseHandler
  status: number
  rawHeaders: readonly string[]
  chunks: Buffer[]
  bytes: number
  /** Whether `chunks` hold the complete body. */
  isComplete: boolean
}

/**
 * Sends a request to the first of several connections, and to the next one after a failed connect,
 * a reset before the head, or status 429, 502, 503 or 504. Never retries after a timeout, or once a
 * head has been forwarded. If all attempts fail, the first response is forwarded. Connections for
 * which the request cannot be built are skipped.
 */
class FailoverRequest implements RequestHandle {
  readonly #attempts: readonly ConnectionAttempt[]
  readonly #listener: FailoverHandler
  readonly #deadline: number
  readonly #share: EventLoopShare
  /** The consumer is ready for more, but must wait for its share of the event loop. */
  #isWaiting = false
  #isReady = true
  #hasStarted = false
  #next = 0
  #request: SentRequest | null = null
  #cancelled = false
  #firstFailure: BufferedResponse | null = null
  /** Reports the first connection that could not be reached, if no attempt follows after all. */
  #reportUnreachable: (() => void) | null = null
  #release: (() => void) | null = null
  #bodyTimer: NodeJS.Timeout | undefined

  constructor(
    attempts: readonly ConnectionAttempt[],
    listener: FailoverHandler,
    { timeoutMs, share }: SendOptions,
  ) {
    this.#attempts = attempts
    this.#listener = listener
    this.#deadline = performance.now() + timeoutMs
    this.#share = share
  }

  start(): this {
    this.#try()
    return this
  }

  resume(): void {
    this.#isReady = true
    if (!this.#isWaiting) this.#request?.resume()
  }

  /** @returns whether more data may follow immediately */
  #takeTurn(isReady: boolean): boolean {
    // Most responses have one chunk, which the request's own share covers.
    const isFirst = !this.#hasStarted
    this.#hasStarted = true
    if (isFirst || this.#share.take(turnCosts.chunk)) return isReady
    this.#isReady = isReady
    if (this.#isWaiting) return false
    this.#isWaiting = true
    this.#share.wait(turnCosts.chunk, () => {
      this.#isWaiting = false
      if (this.#isReady) this.#request?.resume()
    })
    return false
  }

  cancel(): void {
    this.#cancelled = true
    this.#endAttempt()
    this.#request?.cancel()
  }

  #endAttempt(): void {
    clearTimeout(this.#bodyTimer)
    this.#release?.()
    this.#release = null
  }

  #hasNext(): boolean {
    return !this.#cancelled && this.#next < this.#attempts.length && this.#remainingMs() > 0
  }

  #remainingMs(): number {
    return this.#deadline - performance.now()
  }

  #try(): void {
    const attempt = this.#attempts[this.#next++]
    if (!attempt) throw new Error("A request needs at least one connection")
    let request: UpstreamRequest | Promise<UpstreamRequest>
    try {
      request = attempt.request()
    } catch (error) {
      this.#skipAttempt(error)
      return
    }
    if (request instanceof Promise) void this.#sendWhenBuilt(attempt, request)
    else this.#send(attempt, request)
  }

  async #sendWhenBuilt(attempt: ConnectionAttempt, built: Promise<UpstreamRequest>): Promise<void> {
    try {
      const request = await built.catch((error: unknown) => {
        if (!this.#cancelled) this.#skipAttempt(error)
      })
      if (request && !this.#cancelled) this.#send(attempt, request)
    } catch (error) {
      this.#listener.onListenerError(error)
    }
  }

  #send(attempt: ConnectionAttempt, request: UpstreamRequest): void {
    const { upstream, usesModel } = attempt
    upstream.inFlight++
    const endAttempt = usesModel ? upstream.beginAttempt() : undefined
    this.#release = () => {
      upstream.inFlight--
      endAttempt?.()
    }
    this.#listener.onConnectionSelected(upstream)
    const attemptNumber = this.#next
    const attemptMs =
      attemptNumber === 1
        ? upstream.firstByteMs
        : Math.min(upstream.firstByteMs, this.#remainingMs())
    const limit = Math.max(1, attemptMs)
    const sent = upstream.client.send(request, this.#createListener(attempt), limit)
    // If it failed within `send`, the next attempt has already replaced it.
    if (attemptNumber === this.#next) this.#request = sent
    if (this.#cancelled) sent.cancel()
  }

  /** After a failure to build its request: providers differ in what they support. */
  #skipAttempt(error: unknown): void {
    if (!(error instanceof Failure)) throw error
    if (this.#hasNext()) this.#try()
    else if (this.#firstFailure) this.#forwardBuffered(this.#firstFailure)
    else if (this.#reportUnreachable) this.#reportUnreachable()
    else throw error
  }

  #createListener({ upstream, usesModel, convert }: ConnectionAttempt): ResponseListener {
    const receiver = convert ? convert(this.#listener) : this.#listener
    let buffered: BufferedResponse | null = null
    let isUnavailable = false
    const tryNext = (complete: BufferedResponse): void => {
      buffered = null
      this.#tryNext(complete)
    }
    return {
      onHead: (status, rawHeaders) => {
        const retryable = retryableStatuses.has(status)
        isUnavailable = retryable && status !== 429
        if (isUnavailable) upstream.recordFailure("soft", new RefusedError(status, ""))
        if (retryable && (this.#firstFailure || this.#hasNext())) {
          buffered = {
            upstream,
            receiver,
            status,
            rawHeaders,
            chunks: [],
            bytes: 0,
            isComplete: false,
          }
          this.#limitBodyTime()
        } else {
          receiver.onHead(status, rawHeaders)
        }
      },
      onData: (chunk) => {
        if (!buffered) return this.#takeTurn(receiver.onData(chunk))
        buffered.bytes += chunk.length
        if (buffered.bytes <= maxRetryBodyBytes) buffered.chunks.push(chunk)
        return true
      },
      onEnd: () => {
        // Only after a complete response: an endpoint that aborts every response is unhealthy.
        if (usesModel && !isUnavailable) upstream.recordSuccess()
        this.#endAttempt()
        if (!buffered) return receiver.onEnd()
        buffered.isComplete = buffered.bytes <= maxRetryBodyBytes
        tryNext(buffered)
      },
      onError: (error) => {
        if (!buffered) this.#recordFailure(upstream, error)
        this.#endAttempt()
        if (buffered) return tryNext(buffered)
        const nothingSent = error.kind === "unreachable" || error.kind === "reset"
        if (nothingSent && this.#hasNext()) {
          this.#reportUnreachable ??= () => {
            this.#listener.onConnectionSelected(upstream)
            receiver.onError(error)
          }
          return this.#try()
        }
        if (this.#firstFailure && (nothingSent || error.kind === "timeout"))
          return this.#forwardBuffered(this.#firstFailure)
        receiver.onError(error)
      },
      onListenerError: (error) => this.#listener.onListenerError(error),
    }
  }

  /** The body is forwarded if all attempts fail, but must arrive within the timeout. */
  #limitBodyTime(): void {
    this.#bodyTimer = setTimeout(() => this.#request?.giveUp(), retryBodyTimeoutMs)
  }

  /** A consumer's own parse error does not count against the endpoint's health. */
  #recordFailure(upstream: Upstream, error: UpstreamError): void {
    if (error.kind === "unreadable") return
    const hard = error.kind === "unreachable" || error.kind === "reset"
    upstream.recordFailure(hard ? "hard" : "soft", error)
  }

  #tryNext(buffered: BufferedResponse): void {
    this.#firstFailure ??= buffered
    if (this.#hasNext()) this.#try()
    else this.#forwardBuffered(this.#firstFailure)
  }

  #forwardBuffered({ upstream, receiver, isComplete, ...response }: BufferedResponse): void {
    this.#listener.onConnectionSelected(upstream)
    receiver.onHead(response.status, response.rawHeaders)
    for (const chunk of response.chunks) receiver.onData(chunk)
    if (isComplete) receiver.onEnd()
    else setImmediate(() => this.#reportIncomplete())
  }

  /** Deferred, so that the client sees the forwarded bytes before its connection is cut. */
  #reportIncomplete(): void {
    if (this.#cancelled) return
    this.#listener.onError(new UpstreamError("broken", new Error("the response is incomplete")))
  }
}

export const sendWithFailover = (
  attempts: readonly ConnectionAttempt[],
  listener: FailoverHandler,
  options: SendOptions,
): RequestHandle => new FailoverRequest(attempts, listener, options).start()
