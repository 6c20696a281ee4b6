import type { Upstream } from "../connections/connection.ts"
import { Failure } from "../errors.ts"
import { type Fields, isObject } from "../formats/json-values.ts"
import type { Flow } from "../outbound/client.ts"
import { headerOf } from "../outbound/response-head.ts"
import { createEventReader } from "../outbound/sse-decoder.ts"
import { UnreadableReply, type UpstreamError } from "../outbound/upstream-error.ts"
import { createWholeReply } from "./completion-accumulator.ts"
import type { FilterChain } from "./filter-chain.ts"
import type { Hearing } from "./function-model.ts"

/** Maximum number of events waiting to be filtered before the upstream is paused. */
const maxQueued = 256
const maxWholeBytes = 16_000_000

/** Items waiting to be passed on, in order. */
type Piece = { events: string[] } | { end: true } | { broke: UpstreamError }

const eventOf = (data: unknown): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

const chunkOf = (data: string): Fields | null => {
  if (data === "[DONE]") return null
  try {
    const chunk: unknown = JSON.parse(data)
    return isObject(chunk) ? chunk : null
  } catch {
    return null
  }
}

const choicesOf = (chunk: Fields | null): Fields[] =>
  Array.isArray(chunk?.choices) ? chunk.choices.filter(isObject) : []

const finishes = (chunk: Fields | null): boolean =>
  choicesOf(chunk).some(({ finish_reason }) => typeof finish_reason === "string")

/**
 * Sits between a provider and the consumer of its response and passes the response through filters.
 * Filters run in worker threads: what arrives in the meantime is queued in order, and a full queue
 * pauses the upstream.
 */
export class Filtered implements Flow {
  readonly #inner: Hearing
  readonly #chain: FilterChain
  readonly #reader = createEventReader()
  readonly #whole = createWholeReply()
  #flow: Flow | null = null
  #mode: "pass" | "stream" | "gather" | "json" = "pass"
  #waiting: Piece[] = []
  #waitingEvents = 0
  /**
   * Sent with the first data: until then a failing filter yields an error response instead of a
   * broken stream.
   */
  #head: Parameters<Hearing["head"]> | null = null
  #kept: Buffer[] = []
  #keptBytes = 0
  #busy = false
  #full = false
  #stopped = false
  #lastAsked = false
  #template: Fields = {}

  constructor(inner: Hearing, chain: FilterChain) {
    this.#inner = inner
    this.#chain = chain
  }

  follow(flow: Flow): void {
    this.#flow = flow
    this.#inner.follow(this)
  }

  resume(): void {
    this.#full = false
    // With an empty queue, nothing else would resume the upstream.
    if (this.#mode === "pass" || this.#waiting.length === 0) this.#flow?.resume()
    else this.#work()
  }

  cancel(): void {
    this.#stopped = true
    this.#chain.cancel()
    this.#flow?.cancel()
  }

  chosen(upstream: Upstream): void {
    this.#inner.chosen(upstream)
  }

  stop(...why: Parameters<Hearing["stop"]>): void {
    this.#stopped = true
    this.#flow?.cancel()
    this.#inner.stop(...why)
  }

  head(status: number, rawHeaders: readonly string[]): void {
    const streamed = (headerOf(rawHeaders, "content-type") ?? "").startsWith("text/event-stream")
    const fine = status >= 200 && status <= 299 && this.#chain.looksAtReply
    if (fine && streamed) this.#mode = this.#chain.needsWhole ? "gather" : "stream"
    else if (fine) this.#mode = "json"
    if (this.#mode === "pass") this.#inner.head(status, rawHeaders)
    else this.#head = [status, rawHeaders]
  }

  data(chunk: Buffer): boolean {
    if (this.#mode === "pass") return this.#inner.data(chunk)
    if (this.#mode === "json") return this.#keep(chunk)
    if (this.#mode === "gather") this.#count(chunk)
    const events = this.#reader.read(chunk)
    if (this.#mode === "gather") this.#gather(events)
    else if (events.length > 0) this.#putEvents(events)
    return this.#waitingEvents < maxQueued
  }

  end(): void {
    if (this.#mode === "pass") this.#inner.end()
    else if (this.#mode === "stream") {
      this.#putEvents(this.#reader.end())
      this.#put({ end: true })
    } else this.#put({ end: true })
  }

  broke(error: UpstreamError): void {
    if (this.#mode === "pass" || this.#mode === "json") this.#inner.broke(error)
    else this.#put({ broke: error })
  }

  #keep(chunk: Buffer): boolean {
    this.#count(chunk)
    this.#kept.push(chunk)
    return true
  }

  #count({ length }: Buffer): void {
    this.#keptBytes += length
    if (this.#keptBytes <= maxWholeBytes) return
    throw new UnreadableReply(`it exceeds ${maxWholeBytes / 1e6} MB`)
  }

  #gather(events: readonly string[]): void {
    for (const data of events) this.#whole.add(chunkOf(data))
  }

  /** Events that arrive while filters are busy are batched into their next call. */
  #putEvents(events: string[]): void {
    this.#waitingEvents += events.length
    const last = this.#waiting.at(-1)
    if (last && "events" in last) last.events.push(...events)
    else this.#put({ events })
  }

  #put(piece: Piece): void {
    this.#waiting.push(piece)
    this.#work()
  }

  #work(): void {
    if (this.#busy || this.#full || this.#stopped) return
    this.#busy = true
    void this.#workOff()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#busy = false
      })
  }

  async #workOff(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if ("events" in next) {
        this.#waitingEvents -= next.events.length
        await this.#tell(next.events)
      } else if ("broke" in next) this.#inner.broke(next.broke)
      else await this.#finish()
      if (this.#stopped || this.#full) return
      if (this.#waiting.length === 0) this.#flow?.resume()
    }
  }

  #failed(error: unknown): void {
    if (this.#stopped) return
    const failure =
      error instanceof Failure ? error : new Failure("internal", "A filter could not be run.")
    const outcome = failure.code === "function_refused" ? "refused_request" : "upstream_error"
    this.stop(outcome, failure)
  }

  #begin(): void {
    const head = this.#head
    this.#head = null
    if (head && !this.#stopped) this.#inner.head(...head)
  }

  #send(text: string): void {
    if (text === "" || this.#stopped) return
    this.#begin()
    if (!this.#inner.data(Buffer.from(text))) this.#full = true
  }

  async #tell(events: readonly string[]): Promise<void> {
    const chunks = events.map((data) => ({ data, chunk: chunkOf(data) }))
    const choices = chunks.flatMap(({ chunk }) => choicesOf(chunk))
    const deltas = choices.map(({ delta }) => (isObject(delta) ? delta : {}))
    const changed = deltas.length > 0 ? await this.#chain.chunk(deltas) : []
    const deltaOf = new Map(choices.map((choice, at) => [choice, changed[at] ?? null]))
    let text = ""
    for (const { data, chunk } of chunks) {
      if (data === "[DONE]" || finishes(chunk)) text += await this.#last()
      text += this.#changed(data, chunk, deltaOf)
    }
    this.#send(text)
  }

  #changed(data: string, chunk: Fields | null, deltaOf: Map<Fields, Fields | null>): string {
    const choices = choicesOf(chunk)
    if (chunk === null || choices.length === 0) return eventOf(data)
    const { choices: _own, usage: _usage, ...template } = chunk
    this.#template = template
    const kept = choices.flatMap((choice) => {
      const delta = deltaOf.get(choice) ?? null
      if (delta) return [{ ...choice, delta }]
      return typeof choice.finish_reason === "string" ? [{ ...choice, delta: {} }] : []
    })
    return kept.length > 0 ? eventOf({ ...chunk, choices: kept }) : ""
  }

  /** Text held back by filters, requested once before the response ends. */
  async #last(): Promise<string> {
    if (this.#lastAsked) return ""
    this.#lastAsked = true
    const [delta] = await this.#chain.chunk([{ content: "", last: true }])
    if (typeof delta?.content !== "string" || delta.content === "") return ""
    const choice = { index: 0, delta: { content: delta.content }, finish_reason: null }
    return eventOf({ ...this.#template, choices: [choice] })
  }

  async #finish(): Promise<void> {
    if (this.#mode === "json") await this.#finishJson()
    else if (this.#mode === "gather") {
      this.#gather(this.#reader.end())
      this.#send(this.#whole.events(await this.#chain.after(this.#whole.reply())))
    }
    this.#begin()
    if (!this.#stopped) this.#inner.end()
  }

  async #finishJson(): Promise<void> {
    const body = Buffer.concat(this.#kept).toString("utf8")
    const reply = chunkOf(body)
    this.#send(reply ? JSON.stringify(await this.#chain.after(reply)) : body)
  }
}
