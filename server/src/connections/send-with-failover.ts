import {
  HttpStatusError,
  type RequestHandle,
  type ResponseHandler,
  type ResponseListener,
  type SentRequest,
  UpstreamError,
  type UpstreamRequest,
} from "@portico/http1"
import type { EventLoopShare } from "../concurrency/fair-event-loop.ts"
import { Failure } from "../errors.ts"
import type { AttemptTarget } from "./attempt-target.ts"
import { BufferedErrorResponse } from "./buffered-error-response.ts"
import { ChunkPacing } from "./chunk-pacing.ts"
import type { Connection } from "./connection.ts"
import type { ConnectionAttempt } from "./connection-attempt.ts"
import {
  type ConnectionFault,
  isCredentialStatus,
  isRetryableStatus,
  mayBeConnectionFault,
} from "./connection-fault.ts"
import type { ResponseReceiver } from "./response-receiver.ts"

/** How long to wait for the body of a retryable response before trying the next connection. */
const retryBodyTimeoutMs = 1000

interface SendOptions {
  /** Time limit for the response's head, across all attempts. */
  timeoutMs: number
  /** The caller's share of the event loop, charged for each chunk. */
  share: EventLoopShare
  /**
   * Reserves what the request may use from limits of its connection, before it is sent.
   * @throws {Failure} if they do not allow it; the next attempt is then made
   */
  reserveAttempt: (target: AttemptTarget) => void | Promise<void>
}

/**
 * Sends a request to the first of several connections, and to the next one after a failed connect,
 * a reset before the head, status 429, 502, 503, 504 or 529, or a fault of the connection, such as a
 * rejected key or a model that it no longer has. Never retries after a timeout, or once a head has
 * been forwarded. If all attempts fail, the first response is forwarded that is not such a fault,
 * else the first one. Connections for which the request cannot be built are skipped.
 */
class FailoverRequest implements RequestHandle {
  readonly #attempts: readonly ConnectionAttempt[]
  readonly #receiver: ResponseReceiver
  readonly #deadline: number
  readonly #share: EventLoopShare
  readonly #pacing: ChunkPacing
  readonly #reserveAttempt: SendOptions["reserveAttempt"]
  #next = 0
  #requestsSent = 0
  #request: SentRequest | null = null
  #cancelled = false
  #firstFailure: BufferedErrorResponse | null = null
  /** Reports the first connection that could not be reached, if no attempt follows after all. */
  #reportUnreachable: (() => void) | null = null
  #release: (() => void) | null = null
  #bodyTimer: NodeJS.Timeout | undefined

  constructor(
    attempts: readonly ConnectionAttempt[],
    receiver: ResponseReceiver,
    { timeoutMs, share, reserveAttempt }: SendOptions,
  ) {
    this.#attempts = attempts
    this.#receiver = receiver
    this.#deadline = performance.now() + timeoutMs
    this.#share = share
    this.#pacing = new ChunkPacing(share, () => this.#request?.resume())
    this.#reserveAttempt = reserveAttempt
  }

  start(): this {
    this.#try()
    return this
  }

  resume(): void {
    this.#pacing.resume()
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
      const reserving = this.#reserveAttempt(attempt)
      request = reserving ? reserving.then(() => attempt.request()) : attempt.request()
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
      this.#receiver.onListenerError(error)
    }
  }

  #send(attempt: ConnectionAttempt, request: UpstreamRequest): void {
    const { connection, usesModel, model } = attempt
    connection.inFlight++
    const endAttempt = usesModel ? connection.beginAttempt(model) : undefined
    this.#release = () => {
      connection.inFlight--
      endAttempt?.()
    }
    this.#requestsSent++
    this.#receiver.onAttemptSelected(attempt, this.#requestsSent)
    const attemptNumber = this.#next
    const { firstByteMs } = connection
    const attemptMs = attemptNumber === 1 ? firstByteMs : Math.min(firstByteMs, this.#remainingMs())
    const timeoutMs = Math.max(1, attemptMs)
    const sent = connection.transport.send(request, this.#createListener(attempt), timeoutMs)
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

  #createListener(attempt: ConnectionAttempt): ResponseListener {
    const { connection, usesModel, model } = attempt
    const handler = this.#handlerOf(attempt)
    let buffered: BufferedErrorResponse | null = null
    let isRetryable = false
    let isUnavailable = false
    /** Decides about a response that was held back. */
    const settle = (held: BufferedErrorResponse, fault: ConnectionFault | null): void => {
      buffered = null
      if (fault || isRetryable) this.#tryNext(held)
      else this.#forwardBuffered(held)
    }
    return {
      onHead: (status, rawHeaders) => {
        isRetryable = isRetryableStatus(status)
        isUnavailable = isRetryable && status !== 429
        if (isUnavailable) connection.recordFailure("soft", new HttpStatusError(status, ""))
        if (!this.#shouldBuffer(status)) {
          handler.onHead(status, rawHeaders)
          return
        }
        buffered = new BufferedErrorResponse(attempt, handler, { status, rawHeaders })
        if (isRetryable || isCredentialStatus(status)) this.#limitBodyTime()
      },
      onData: (chunk) => {
        if (!buffered) return this.#pacing.pass(handler.onData(chunk))
        buffered.push(chunk)
        if (isRetryable || !buffered.isTooLarge || buffered.fault()) return true
        buffered.release()
        buffered = null
        return this.#pacing.pass(handler.onData(chunk))
      },
      onEnd: () => {
        buffered?.complete()
        const fault = buffered?.fault() ?? null
        if (buffered && fault) this.#recordFault(buffered, fault)
        // Only after a complete response: an endpoint that aborts every response is unhealthy.
        else if (usesModel && !isUnavailable) connection.recordSuccess(model)
        this.#endAttempt()
        if (!buffered) return handler.onEnd()
        settle(buffered, fault)
      },
      onError: (error) => {
        const fault = buffered?.fault() ?? null
        if (!buffered) this.#recordFailure(connection, error)
        else if (fault) this.#recordFault(buffered, fault)
        this.#endAttempt()
        if (buffered) return settle(buffered, fault)
        this.#afterError(error, attempt, handler)
      },
      onListenerError: (error) => this.#receiver.onListenerError(error),
    }
  }

  #handlerOf({ convert }: ConnectionAttempt): ResponseHandler {
    if (!convert) return this.#receiver
    const converting = convert(this.#receiver, this.#share)
    converting.attach(this)
    return converting
  }

  /** After an attempt without a response. */
  #afterError(error: UpstreamError, attempt: ConnectionAttempt, handler: ResponseHandler): void {
    const nothingSent = error.kind === "unreachable" || error.kind === "reset"
    if (nothingSent && this.#hasNext()) {
      this.#reportUnreachable ??= () => {
        this.#receiver.onAttemptSelected(attempt, this.#requestsSent)
        handler.onError(error)
      }
      this.#try()
    } else if (this.#firstFailure && (nothingSent || error.kind === "timeout")) {
      this.#forwardBuffered(this.#firstFailure)
    } else handler.onError(error)
  }

  #hasAlternative(): boolean {
    return this.#firstFailure !== null || this.#hasNext()
  }

  #shouldBuffer(status: number): boolean {
    return mayBeConnectionFault(status) || (isRetryableStatus(status) && this.#hasAlternative())
  }

  /** The body is forwarded if all attempts fail, but must arrive within the timeout. */
  #limitBodyTime(): void {
    if (!this.#hasAlternative()) return
    this.#bodyTimer = setTimeout(() => this.#request?.failAsStalled(), retryBodyTimeoutMs)
  }

  /** Requests for no model say nothing about those that are. */
  #recordFault(response: BufferedErrorResponse, fault: ConnectionFault): void {
    const { connection, model } = response.attempt
    if (model !== null) connection.recordFault(fault, response.toError(), model)
  }

  /** A consumer's own parse error does not count against the endpoint's health. */
  #recordFailure(connection: Connection, error: UpstreamError): void {
    if (error.kind === "unreadable") return
    const hard = error.kind === "unreachable" || error.kind === "reset"
    connection.recordFailure(hard ? "hard" : "soft", error)
  }

  #tryNext(response: BufferedErrorResponse): void {
    const first = this.#firstFailure
    const isBetter =
      first && mayBeConnectionFault(first.status) && !mayBeConnectionFault(response.status)
    const forwarded = first && !isBetter ? first : response
    this.#firstFailure = forwarded
    if (this.#hasNext()) this.#try()
    else this.#forwardBuffered(forwarded)
  }

  #forwardBuffered(response: BufferedErrorResponse): void {
    this.#receiver.onAttemptSelected(response.attempt, this.#requestsSent)
    response.release()
    if (response.isComplete) response.receiver.onEnd()
    else setImmediate(() => this.#reportIncomplete())
  }

  /** Deferred, so that the client sees the forwarded bytes before its connection is cut. */
  #reportIncomplete(): void {
    if (this.#cancelled) return
    this.#receiver.onError(new UpstreamError("broken", new Error("the response is incomplete")))
  }
}

export const sendWithFailover = (
  attempts: readonly ConnectionAttempt[],
  receiver: ResponseReceiver,
  options: SendOptions,
): RequestHandle => new FailoverRequest(attempts, receiver, options).start()
