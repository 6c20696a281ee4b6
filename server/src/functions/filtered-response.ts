import { headerOf, type RequestHandle, type UpstreamError } from "@portico/http1"
import { type ServerSentEvent, SseDecoder } from "@portico/sse"
import type { Connection } from "../connections/connection.ts"
import type { ResponseReceiver } from "../connections/response-receiver.ts"
import { Failure } from "../errors.ts"
import { type Fields, isObject, objectsIn, parseObject } from "../formats/json-values.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import { createCompletionAccumulator } from "./completion-accumulator.ts"
import type { FilterChain } from "./filter-chain.ts"

/** Maximum number of events waiting to be filtered before the upstream is paused. */
const maxQueued = 256
const maxWholeBytes = 16_000_000

/** Items waiting to be passed on, in order. */
type QueuedPiece = { events: ServerSentEvent[] } | { end: true } | { broke: UpstreamError }

const eventOf = (data: unknown): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

const choicesOf = (chunk: Fields | null): Fields[] => objectsIn(chunk?.choices)

const finishes = (chunk: Fields | null): boolean =>
  choicesOf(chunk).some(({ finish_reason }) => typeof finish_reason === "string")

/**
 * Sits between a provider and the receiver of its response and passes the response through filters.
 * Filters run in worker threads: what arrives in the meantime is queued in order, and a full queue
 * pauses the upstream.
 */
export class FilteredResponse implements ResponseReceiver, RequestHandle {
  readonly #receiver: ResponseReceiver
  readonly #chain: FilterChain
  readonly #decoder = new SseDecoder()
  readonly #accumulator = createCompletionAccumulator()
  #handle: RequestHandle | null = null
  #mode: "pass" | "stream" | "gather" | "json" = "pass"
  #queue: QueuedPiece[] = []
  #queuedEvents = 0
  /**
   * Sent with the first data: until then a failing filter yields an error response instead of a
   * broken stream.
   */
  #head: Parameters<ResponseReceiver["onHead"]> | null = null
  #body: Buffer[] = []
  #bufferedBytes = 0
  #isProcessing = false
  #isReceiverFull = false
  #isStopped = false
  #isLastRequested = false
  #template: Fields = {}

  constructor(receiver: ResponseReceiver, chain: FilterChain) {
    this.#receiver = receiver
    this.#chain = chain
  }

  attach(handle: RequestHandle): void {
    this.#handle = handle
    this.#receiver.attach(this)
  }

  resume(): void {
    this.#isReceiverFull = false
    // With an empty queue, nothing else would resume the upstream.
    if (this.#mode === "pass" || this.#queue.length === 0) this.#handle?.resume()
    else this.#startProcessing()
  }

  cancel(): void {
    this.#isStopped = true
    this.#chain.cancel()
    this.#handle?.cancel()
  }

  onConnectionSelected(connection: Connection): void {
    this.#receiver.onConnectionSelected(connection)
  }

  stop(...why: Parameters<ResponseReceiver["stop"]>): void {
    this.#isStopped = true
    this.#handle?.cancel()
    this.#receiver.stop(...why)
  }

  onHead(status: number, rawHeaders: readonly string[]): void {
    const streamed = (headerOf(rawHeaders, "content-type") ?? "").startsWith("text/event-stream")
    const fine = status >= 200 && status <= 299 && this.#chain.readsResponse
    if (fine && streamed) this.#mode = this.#chain.needsFullResponse ? "gather" : "stream"
    else if (fine) this.#mode = "json"
    if (this.#mode === "pass") this.#receiver.onHead(status, rawHeaders)
    else this.#head = [status, rawHeaders]
  }

  onData(chunk: Buffer): boolean {
    if (this.#mode === "pass") return this.#receiver.onData(chunk)
    if (this.#mode === "json") return this.#bufferBody(chunk)
    if (this.#mode === "gather") this.#countBytes(chunk)
    const events = this.#decoder.push(chunk)
    if (this.#mode === "gather") this.#accumulate(events)
    else if (events.length > 0) this.#enqueueEvents(events)
    return this.#queuedEvents < maxQueued
  }

  onEnd(): void {
    if (this.#mode === "pass") this.#receiver.onEnd()
    else if (this.#mode === "stream") {
      this.#enqueueEvents(this.#decoder.end())
      this.#enqueue({ end: true })
    } else this.#enqueue({ end: true })
  }

  onError(error: UpstreamError): void {
    if (this.#mode === "pass" || this.#mode === "json") this.#receiver.onError(error)
    else this.#enqueue({ broke: error })
  }

  onListenerError(error: unknown): void {
    this.#receiver.onListenerError(error)
  }

  #bufferBody(chunk: Buffer): boolean {
    this.#countBytes(chunk)
    this.#body.push(chunk)
    return true
  }

  #countBytes({ length }: Buffer): void {
    this.#bufferedBytes += length
    if (this.#bufferedBytes <= maxWholeBytes) return
    throw new MalformedResponse(`it exceeds ${maxWholeBytes / 1e6} MB`)
  }

  #accumulate(events: readonly ServerSentEvent[]): void {
    for (const { data } of events) this.#accumulator.add(parseObject(data))
  }

  /** Events that arrive while filters are busy are batched into their next call. */
  #enqueueEvents(events: ServerSentEvent[]): void {
    this.#queuedEvents += events.length
    const last = this.#queue.at(-1)
    if (last && "events" in last) last.events.push(...events)
    else this.#enqueue({ events })
  }

  #enqueue(piece: QueuedPiece): void {
    this.#queue.push(piece)
    this.#startProcessing()
  }

  #startProcessing(): void {
    if (this.#isProcessing || this.#isReceiverFull || this.#isStopped) return
    this.#isProcessing = true
    void this.#processQueue()
      .catch((error: unknown) => this.#stopWithError(error))
      .finally(() => {
        this.#isProcessing = false
      })
  }

  async #processQueue(): Promise<void> {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      if ("events" in next) {
        this.#queuedEvents -= next.events.length
        await this.#filterEvents(next.events)
      } else if ("broke" in next) this.#receiver.onError(next.broke)
      else await this.#finish()
      if (this.#isStopped || this.#isReceiverFull) return
      if (this.#queue.length === 0) this.#handle?.resume()
    }
  }

  #stopWithError(error: unknown): void {
    if (this.#isStopped) return
    const failure =
      error instanceof Failure ? error : new Failure("internal", "A filter could not be run.")
    const outcome = failure.code === "function_refused" ? "refused_request" : "upstream_error"
    this.stop(outcome, failure)
  }

  #sendHead(): void {
    const head = this.#head
    this.#head = null
    if (head && !this.#isStopped) this.#receiver.onHead(...head)
  }

  #send(text: string): void {
    if (text === "" || this.#isStopped) return
    this.#sendHead()
    if (!this.#receiver.onData(Buffer.from(text))) this.#isReceiverFull = true
  }

  async #filterEvents(events: readonly ServerSentEvent[]): Promise<void> {
    const chunks = events.map(({ data }) => ({ data, chunk: parseObject(data) }))
    const choices = chunks.flatMap(({ chunk }) => choicesOf(chunk))
    const deltas = choices.map(({ delta }) => (isObject(delta) ? delta : {}))
    const changed = deltas.length > 0 ? await this.#chain.chunk(deltas) : []
    const deltaOf = new Map(choices.map((choice, at) => [choice, changed[at] ?? null]))
    let text = ""
    for (const { data, chunk } of chunks) {
      if (data === "[DONE]" || finishes(chunk)) text += await this.#requestHeldBackText()
      text += this.#rewriteChunk(data, chunk, deltaOf)
    }
    this.#send(text)
  }

  #rewriteChunk(data: string, chunk: Fields | null, deltaOf: Map<Fields, Fields | null>): string {
    const choices = choicesOf(chunk)
    if (chunk === null || choices.length === 0) return data === "" ? "" : eventOf(data)
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
  async #requestHeldBackText(): Promise<string> {
    if (this.#isLastRequested) return ""
    this.#isLastRequested = true
    const [delta] = await this.#chain.chunk([{ content: "", last: true }])
    if (typeof delta?.content !== "string" || delta.content === "") return ""
    const choice = { index: 0, delta: { content: delta.content }, finish_reason: null }
    return eventOf({ ...this.#template, choices: [choice] })
  }

  async #finish(): Promise<void> {
    if (this.#mode === "json") await this.#finishJson()
    else if (this.#mode === "gather") {
      this.#accumulate(this.#decoder.end())
      this.#send(this.#accumulator.events(await this.#chain.after(this.#accumulator.completion())))
    }
    this.#sendHead()
    if (!this.#isStopped) this.#receiver.onEnd()
  }

  async #finishJson(): Promise<void> {
    const body = Buffer.concat(this.#body).toString("utf8")
    const reply = parseObject(body)
    this.#send(reply ? JSON.stringify(await this.#chain.after(reply)) : body)
  }
}
