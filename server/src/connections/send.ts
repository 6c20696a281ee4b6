import { costs, type LoopShare } from "../limits/fair-loop.ts"
import type { Flow, ReplyListener, SentRequest, UpstreamRequest } from "../outbound/client.ts"
import { UpstreamError } from "../outbound/upstream-error.ts"
import type { Upstream } from "./connection.ts"

/** What other connections may do better: busy or gateway errors, told before any of the body. */
const retryableStatuses = new Set([429, 502, 503, 504])
const maxRetryBodyBytes = 64 * 1024
/** How long the body of such a reply is waited for before the next connection is tried. */
const heldBodyMs = 1000

export interface Attempt {
  upstream: Upstream
  /** Whether a model answers: only that shows that models are well. */
  usesModel: boolean
  /** Makes the request when it is this one's turn, which for most never comes. */
  request: () => UpstreamRequest
}

export interface SendListener extends Omit<ReplyListener, "failed"> {
  /** Told which connection is tried, each time. */
  chosen(upstream: Upstream): void
}

interface Terms {
  /** For the reply's head, all tries together. */
  withinMs: number
  /** The caller's, of which each piece of the reply takes. */
  share: LoopShare
  /** Told what `broke` threw: the listener is past telling anybody. */
  failed: (error: unknown) => void
}

interface Held {
  upstream: Upstream
  status: number
  rawHeaders: readonly string[]
  chunks: Buffer[]
  bytes: number
  /** What was kept is all of its body. */
  isWhole: boolean
}

/**
 * Sends a request to the first of several connections, and to the next one after a failed
 * connect, a reset before the head, 429, 502, 503 or 504: never after a timeout, and never once a
 * head was passed on. When all fail, the first reply that any of them gave is passed on.
 */
class Sending implements Flow {
  readonly #attempts: readonly Attempt[]
  readonly #listener: SendListener
  readonly #deadline: number
  readonly #failed: Terms["failed"]
  readonly #share: LoopShare
  /** More is wanted, but it is others' turn. */
  #waiting = false
  #wanted = true
  #begun = false
  #next = 0
  #flow: SentRequest | null = null
  #cancelled = false
  #held: Held | null = null
  #release: (() => void) | null = null
  #holding: NodeJS.Timeout | undefined

  constructor(
    attempts: readonly Attempt[],
    listener: SendListener,
    { withinMs, share, failed }: Terms,
  ) {
    this.#attempts = attempts
    this.#listener = listener
    this.#deadline = performance.now() + withinMs
    this.#share = share
    this.#failed = failed
  }

  start(): this {
    this.#try()
    return this
  }

  resume(): void {
    this.#wanted = true
    if (!this.#waiting) this.#flow?.resume()
  }

  /** @returns whether more may come at once */
  #goOnInTurn(wanted: boolean): boolean {
    // Most replies have one piece, whose turn was the request's.
    const isFirst = !this.#begun
    this.#begun = true
    if (isFirst || this.#share.take(costs.chunk)) return wanted
    this.#wanted = wanted
    if (this.#waiting) return false
    this.#waiting = true
    this.#share.wait(costs.chunk, () => {
      this.#waiting = false
      if (this.#wanted) this.#flow?.resume()
    })
    return false
  }

  cancel(): void {
    this.#cancelled = true
    this.#free()
    this.#flow?.cancel()
  }

  #free(): void {
    clearTimeout(this.#holding)
    this.#release?.()
    this.#release = null
  }

  #more(): boolean {
    return !this.#cancelled && this.#next < this.#attempts.length && this.#left() > 0
  }

  #left(): number {
    return this.#deadline - performance.now()
  }

  #try(): void {
    const attempt = this.#attempts[this.#next++]
    if (!attempt) throw new Error("a request needs at least one connection to go to")
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
    const max = turn === 1 ? upstream.firstByteMs : Math.min(upstream.firstByteMs, this.#left())
    const limit = Math.max(1, max)
    const flow = upstream.client.send(request, this.#hear(attempt), limit)
    // One that fails within `send` has been followed by the next already.
    if (turn === this.#next) this.#flow = flow
    if (this.#cancelled) flow.cancel()
  }

  #hear({ upstream, usesModel }: Attempt): ReplyListener {
    const listener = this.#listener
    let held: Held | null = null
    let unavailable = false
    const goOn = (whole: Held): void => {
      held = null
      this.#goOn(whole)
    }
    return {
      head: (status, rawHeaders) => {
        const retryable = retryableStatuses.has(status)
        unavailable = retryable && status !== 429
        if (unavailable) upstream.failed("soft", `it answered ${status}`)
        if (retryable && (this.#held || this.#more())) {
          held = { upstream, status, rawHeaders, chunks: [], bytes: 0, isWhole: false }
          this.#hold()
        } else {
          listener.head(status, rawHeaders)
        }
      },
      data: (chunk) => {
        if (!held) return this.#goOnInTurn(listener.data(chunk))
        held.bytes += chunk.length
        if (held.bytes <= maxRetryBodyBytes) held.chunks.push(chunk)
        return true
      },
      end: () => {
        // Not before: who stops in the middle of each reply is not well.
        if (usesModel && !unavailable) upstream.succeeded()
        this.#free()
        if (!held) return listener.end()
        held.isWhole = held.bytes <= maxRetryBodyBytes
        goOn(held)
      },
      broke: (error) => {
        if (!held) this.#note(upstream, error)
        this.#free()
        if (held) return goOn(held)
        const nothingSent = error.kind === "unreachable" || error.kind === "reset"
        if (nothingSent && this.#more()) return this.#try()
        if (this.#held && (nothingSent || error.kind === "timeout")) return this.#passOn(this.#held)
        listener.broke(error)
      },
      failed: this.#failed,
    }
  }

  /** Its body is part of the answer should all fail; it may not come for long. */
  #hold(): void {
    this.#holding = setTimeout(() => this.#flow?.giveUp(), heldBodyMs)
  }

  /** What could not be read by who listens says nothing sure of the upstream. */
  #note(upstream: Upstream, error: UpstreamError): void {
    if (error.kind === "unreadable") return
    const hard = error.kind === "unreachable" || error.kind === "reset"
    upstream.failed(hard ? "hard" : "soft", error.message)
  }

  #goOn(held: Held): void {
    this.#held ??= held
    if (this.#more()) this.#try()
    else this.#passOn(this.#held)
  }

  #passOn({ upstream, status, rawHeaders, chunks, isWhole }: Held): void {
    this.#listener.chosen(upstream)
    this.#listener.head(status, rawHeaders)
    for (const chunk of chunks) this.#listener.data(chunk)
    if (isWhole) this.#listener.end()
    else setImmediate(() => this.#breakOff())
  }

  /** Later than what was passed on, so that a client sees that before its connection is cut. */
  #breakOff(): void {
    if (this.#cancelled) return
    this.#listener.broke(new UpstreamError("broken", new Error("its reply is not whole")))
  }
}

export const send = (attempts: readonly Attempt[], listener: SendListener, terms: Terms): Flow =>
  new Sending(attempts, listener, terms).start()
