import { costs, type LoopShare } from "../limits/fair-loop.ts"
import type { Flow, ReplyListener, SentRequest, UpstreamRequest } from "../outbound/client.ts"
import { UpstreamError } from "../outbound/upstream-error.ts"
import type { Upstream } from "./connection.ts"

/** Statuses worth trying another connection for: busy and gateway errors, known before the body. */
const retryableStatuses = new Set([429, 502, 503, 504])
const maxRetryBodyBytes = 64 * 1024
/** How long to wait for the body of such a response before trying the next connection. */
const heldBodyMs = 1000

export interface Attempt {
  upstream: Upstream
  /** Whether a model answers. Only such requests affect the circuit breaker's recovery. */
  usesModel: boolean
  /** Builds the request when this attempt is made; most attempts never are. */
  request: () => UpstreamRequest
}

export interface SendListener extends Omit<ReplyListener, "failed"> {
  /** Called with each connection that is tried. */
  chosen(upstream: Upstream): void
}

interface Terms {
  /** Time limit for the response's head, across all attempts. */
  withinMs: number
  /** The caller's share of the event loop, charged for each chunk. */
  share: LoopShare
  /**
   * Called with an exception that `broke` threw, when the handler can no longer report it itself.
   */
  failed: (error: unknown) => void
}

interface Held {
  upstream: Upstream
  status: number
  rawHeaders: readonly string[]
  chunks: Buffer[]
  bytes: number
  /** Whether `chunks` hold the complete body. */
  isWhole: boolean
}

/**
 * Sends a request to the first of several connections, and to the next one after a failed connect,
 * a reset before the head, or status 429, 502, 503 or 504. Never retries after a timeout, or once a
 * head has been forwarded. If all attempts fail, the first response is forwarded.
 */
class Sending implements Flow {
  readonly #attempts: readonly Attempt[]
  readonly #listener: SendListener
  readonly #deadline: number
  readonly #onUnexpectedError: Terms["failed"]
  readonly #share: LoopShare
  /** The consumer is ready for more, but must wait for its share of the event loop. */
  #isWaiting = false
  #isReady = true
  #hasStarted = false
  #next = 0
  #request: SentRequest | null = null
  #cancelled = false
  #firstFailure: Held | null = null
  #release: (() => void) | null = null
  #bodyTimer: NodeJS.Timeout | undefined

  constructor(
    attempts: readonly Attempt[],
    listener: SendListener,
    { withinMs, share, failed }: Terms,
  ) {
    this.#attempts = attempts
    this.#listener = listener
    this.#deadline = performance.now() + withinMs
    this.#share = share
    this.#onUnexpectedError = failed
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
  #takeTurn(wanted: boolean): boolean {
    // Most responses have one chunk, which the request's own share covers.
    const isFirst = !this.#hasStarted
    this.#hasStarted = true
    if (isFirst || this.#share.take(costs.chunk)) return wanted
    this.#isReady = wanted
    if (this.#isWaiting) return false
    this.#isWaiting = true
    this.#share.wait(costs.chunk, () => {
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
    const { upstream, usesModel } = attempt
    const request = attempt.request()
    upstream.running++
    const ended = usesModel ? upstream.tried() : undefined
    this.#release = () => {
      upstream.running--
      ended?.()
    }
    this.#listener.chosen(upstream)
    const turn = this.#next
    const max =
      turn === 1 ? upstream.firstByteMs : Math.min(upstream.firstByteMs, this.#remainingMs())
    const limit = Math.max(1, max)
    const flow = upstream.client.send(request, this.#createListener(attempt), limit)
    // If it failed within `send`, the next attempt has already replaced it.
    if (turn === this.#next) this.#request = flow
    if (this.#cancelled) flow.cancel()
  }

  #createListener({ upstream, usesModel }: Attempt): ReplyListener {
    const listener = this.#listener
    let held: Held | null = null
    let unavailable = false
    const goOn = (whole: Held): void => {
      held = null
      this.#tryNext(whole)
    }
    return {
      head: (status, rawHeaders) => {
        const retryable = retryableStatuses.has(status)
        unavailable = retryable && status !== 429
        if (unavailable) upstream.failed("soft", `responded with status ${status}`)
        if (retryable && (this.#firstFailure || this.#hasNext())) {
          held = { upstream, status, rawHeaders, chunks: [], bytes: 0, isWhole: false }
          this.#limitBodyTime()
        } else {
          listener.head(status, rawHeaders)
        }
      },
      data: (chunk) => {
        if (!held) return this.#takeTurn(listener.data(chunk))
        held.bytes += chunk.length
        if (held.bytes <= maxRetryBodyBytes) held.chunks.push(chunk)
        return true
      },
      end: () => {
        // Only after a complete response: an endpoint that aborts every response is unhealthy.
        if (usesModel && !unavailable) upstream.succeeded()
        this.#endAttempt()
        if (!held) return listener.end()
        held.isWhole = held.bytes <= maxRetryBodyBytes
        goOn(held)
      },
      broke: (error) => {
        if (!held) this.#recordFailure(upstream, error)
        this.#endAttempt()
        if (held) return goOn(held)
        const nothingSent = error.kind === "unreachable" || error.kind === "reset"
        if (nothingSent && this.#hasNext()) return this.#try()
        if (this.#firstFailure && (nothingSent || error.kind === "timeout"))
          return this.#forwardBuffered(this.#firstFailure)
        listener.broke(error)
      },
      failed: this.#onUnexpectedError,
    }
  }

  /** The body is forwarded if all attempts fail, but must arrive within the timeout. */
  #limitBodyTime(): void {
    this.#bodyTimer = setTimeout(() => this.#request?.giveUp(), heldBodyMs)
  }

  /** A consumer's own parse error does not count against the endpoint's health. */
  #recordFailure(upstream: Upstream, error: UpstreamError): void {
    if (error.kind === "unreadable") return
    const hard = error.kind === "unreachable" || error.kind === "reset"
    upstream.failed(hard ? "hard" : "soft", error.message)
  }

  #tryNext(held: Held): void {
    this.#firstFailure ??= held
    if (this.#hasNext()) this.#try()
    else this.#forwardBuffered(this.#firstFailure)
  }

  #forwardBuffered({ upstream, status, rawHeaders, chunks, isWhole }: Held): void {
    this.#listener.chosen(upstream)
    this.#listener.head(status, rawHeaders)
    for (const chunk of chunks) this.#listener.data(chunk)
    if (isWhole) this.#listener.end()
    else setImmediate(() => this.#reportIncomplete())
  }

  /** Deferred, so that the client sees the forwarded bytes before its connection is cut. */
  #reportIncomplete(): void {
    if (this.#cancelled) return
    this.#listener.broke(new UpstreamError("broken", new Error("the response is incomplete")))
  }
}

export const send = (attempts: readonly Attempt[], listener: SendListener, terms: Terms): Flow =>
  new Sending(attempts, listener, terms).start()
