import { headerOf, type RequestHandle, UpstreamError } from "@portico/http1"
import type { AttemptTarget } from "../connections/attempt-target.ts"
import type { CompletionReceiver } from "../connections/response-receiver.ts"
import { Failure } from "../errors.ts"
import { ChunkDecoder } from "../formats/chunk-decoder.ts"
import { type Fields, isObject, objectOf, objectsIn, parseObject } from "../formats/json-values.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import type { Chunk } from "../formats/response-converter.ts"
import { createCompletionAccumulator } from "./completion-accumulator.ts"
import type { FilterChain } from "./filter-chain.ts"

/** Maximum number of chunks waiting to be filtered before the upstream is paused. */
const maxQueued = 256
const maxWholeBytes = 16_000_000

/** Items waiting to be passed on, in order. */
type QueuedPiece = { chunks: Chunk[] } | { end: true } | { broke: UpstreamError }

const choicesOf = (chunk: Chunk): Fields[] => objectsIn(chunk?.choices)

/** Whether no text follows the chunk. */
const finishes = (chunk: Chunk): boolean =>
  chunk === null || choicesOf(chunk).some(({ finish_reason }) => typeof finish_reason === "string")

/**
 * Sits between a provider and the receiver of its response and passes the response through filters.
 * Filters run in worker threads: what arrives in the meantime is queued in order, and a full queue
 * pauses the upstream.
 */
export class FilteredResponse implements CompletionReceiver, RequestHandle {
  readonly #receiver: CompletionReceiver
  readonly #chain: FilterChain
  readonly #decoder = new ChunkDecoder()
  readonly #accumulator = createCompletionAccumulator()
  #handle: RequestHandle | null = null
  #mode: "pass" | "stream" | "gather" | "json" = "pass"
  #queue: QueuedPiece[] = []
  #queuedChunks = 0
  /**
   * Sent with the first data: until then a failing filter yields an error response instead of a
   * broken stream.
   */
  #head: Parameters<CompletionReceiver["onHead"]> | null = null
  #body: Buffer[] = []
  #bufferedBytes = 0
  #isProcessing = false
  #isReceiverFull = false
  #isStopped = false
  #isLastRequested = false
  #template: Fields = {}
  /** Called with each `usage` as it was received. */
  readonly #reportUsage: (usage: Fields) => void

  constructor(
    receiver: CompletionReceiver,
    chain: FilterChain,
    reportUsage: (usage: Fields) => void,
  ) {
    this.#receiver = receiver
    this.#chain = chain
    this.#reportUsage = reportUsage
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

  onAttemptSelected(target: AttemptTarget, requestsSent: number): void {
    this.#receiver.onAttemptSelected(target, requestsSent)
  }

  stop(...why: Parameters<CompletionReceiver["stop"]>): void {
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

  onData(bytes: Buffer): boolean {
    if (this.#mode === "pass") return this.#receiver.onData(bytes)
    if (this.#mode === "json") return this.#bufferBody(bytes)
    if (this.#mode === "gather") this.#countBytes(bytes)
    return this.onChunks(this.#decoder.push(bytes))
  }

  onChunks(chunks: readonly Chunk[]): boolean {
    if (this.#mode === "pass") return this.#receiver.onChunks(chunks)
    for (const chunk of chunks) if (isObject(chunk?.usage)) this.#reportUsage(chunk.usage)
    if (this.#mode === "gather") chunks.forEach(this.#accumulator.add)
    else if (chunks.length > 0) this.#enqueueChunks(chunks)
    return this.#queuedChunks < maxQueued
  }

  onEnd(): void {
    if (this.#mode === "pass") {
      this.#receiver.onEnd()
      return
    }
    this.onChunks(this.#decoder.end())
    this.#enqueue({ end: true })
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

  /** Chunks that arrive while filters are busy are batched into their next call. */
  #enqueueChunks(chunks: readonly Chunk[]): void {
    this.#queuedChunks += chunks.length
    const last = this.#queue.at(-1)
    if (last && "chunks" in last) last.chunks.push(...chunks)
    else this.#enqueue({ chunks: [...chunks] })
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
      if ("chunks" in next) {
        this.#queuedChunks -= next.chunks.length
        await this.#filterChunks(next.chunks)
      } else if ("broke" in next) this.#receiver.onError(next.broke)
      else await this.#finish()
      if (this.#isStopped || this.#isReceiverFull) return
      if (this.#queue.length === 0) this.#handle?.resume()
    }
  }

  #stopWithError(error: unknown): void {
    if (this.#isStopped) return
    if (error instanceof MalformedResponse) {
      this.#isStopped = true
      this.#handle?.cancel()
      this.#receiver.onError(new UpstreamError("unreadable", error))
      return
    }
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

  #send(chunks: readonly Chunk[]): void {
    if (chunks.length === 0 || this.#isStopped) return
    this.#sendHead()
    if (!this.#receiver.onChunks(chunks)) this.#isReceiverFull = true
  }

  async #filterChunks(chunks: readonly Chunk[]): Promise<void> {
    const choices = chunks.flatMap(choicesOf)
    const deltas = choices.map(({ delta }) => objectOf(delta))
    const changed = deltas.length > 0 ? await this.#chain.chunk(deltas) : []
    const deltaOf = new Map(choices.map((choice, at) => [choice, changed[at] ?? null]))
    const filtered: Chunk[] = []
    for (const chunk of chunks) {
      if (finishes(chunk)) filtered.push(...(await this.#requestHeldBackText()))
      filtered.push(...this.#rewriteChunk(chunk, deltaOf))
    }
    this.#send(filtered)
  }

  #rewriteChunk(chunk: Chunk, deltaOf: Map<Fields, Fields | null>): Chunk[] {
    const choices = choicesOf(chunk)
    if (chunk === null || choices.length === 0) return [chunk]
    const { choices: _own, usage: _usage, ...template } = chunk
    this.#template = template
    const kept = choices.flatMap((choice) => {
      const delta = deltaOf.get(choice) ?? null
      if (delta) return [{ ...choice, delta }]
      return typeof choice.finish_reason === "string" ? [{ ...choice, delta: {} }] : []
    })
    return kept.length > 0 ? [{ ...chunk, choices: kept }] : []
  }

  /** Text held back by filters, requested once before the response ends. */
  async #requestHeldBackText(): Promise<Chunk[]> {
    if (this.#isLastRequested) return []
    this.#isLastRequested = true
    const [delta] = await this.#chain.chunk([{ content: "", last: true }])
    if (typeof delta?.content !== "string" || delta.content === "") return []
    const choice = { index: 0, delta: { content: delta.content }, finish_reason: null }
    return [{ ...this.#template, choices: [choice] }]
  }

  async #finish(): Promise<void> {
    if (this.#mode === "json") await this.#finishJson()
    else if (this.#mode === "gather") {
      this.#send(
        this.#accumulator.toChunks(await this.#chain.after(this.#accumulator.completion())),
      )
    }
    this.#sendHead()
    if (!this.#isStopped) this.#receiver.onEnd()
  }

  async #finishJson(): Promise<void> {
    const body = Buffer.concat(this.#body).toString("utf8")
    const reply = parseObject(body)
    if (isObject(reply?.usage)) this.#reportUsage(reply.usage)
    const text = reply ? JSON.stringify(await this.#chain.after(reply)) : body
    this.#sendHead()
    if (!this.#isStopped) this.#receiver.onData(Buffer.from(text))
  }
}
