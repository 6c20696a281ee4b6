import { headerOf, type RequestHandle, UpstreamError } from "@portico/http1"
import { type ServerSentEvent, SseDecoder } from "@portico/sse"
import { type EventLoopShare, turnCosts } from "../../concurrency/fair-event-loop.ts"
import type { AttemptTarget } from "../../connections/attempt-target.ts"
import type { CompletionReceiver, ResponseReceiver } from "../../connections/response-receiver.ts"
import { toError } from "../../errors.ts"
import { parseErrorObject } from "../../formats/error-body.ts"
import { MalformedResponse } from "../../formats/malformed-response.ts"
import { ProviderError } from "../../formats/provider-error.ts"
import type { Chunk, ResponseConverter } from "../../formats/response-converter.ts"
import { joinPieces } from "../../formats/sse-events.ts"
import { isLarge } from "../../http/body-buffer.ts"
import { translatable } from "../../i18n/message.ts"
import { LineDecoder } from "../../outbound/line-decoder.ts"
import { EventPump, type StreamedPiece } from "./event-pump.ts"

const maxBodyBytes = 16_000_000

const replaceContentType = (rawHeaders: readonly string[], type: string): string[] =>
  rawHeaders.map((value, at) =>
    at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "content-type" ? type : value,
  )

/** Some providers send events with empty data to keep the connection open. */
const dataOf = (events: readonly (ServerSentEvent | string)[]): string[] =>
  events.flatMap((event) => (typeof event === "string" ? event : event.data) || [])

/**
 * Passes on a response in another format: streams event by event, in turns that are not long, and
 * bodies when they are complete. The head waits for the beginning of the answer, which may be an error
 * instead.
 */
export class ConvertingReceiver implements CompletionReceiver {
  readonly #receiver: ResponseReceiver
  readonly #converter: ResponseConverter
  readonly #pump: EventPump
  #handle: RequestHandle | null = null
  /** How the response ends when everything before is passed on. */
  #passLast: (() => void) | null = null
  #decoder: SseDecoder | LineDecoder = new SseDecoder()
  #status = 0
  /** Null once it is passed on. */
  #head: Parameters<ResponseReceiver["onHead"]> | null = null
  #content: "unknown" | "stream" | "body" | "error" | "over" = "unknown"
  #body: Buffer[] = []
  #bodyBytes = 0

  /** @param share the caller's, in whose turns long answers are converted */
  constructor(
    receiver: ResponseReceiver,
    converter: ResponseConverter,
    share: Pick<EventLoopShare, "wait">,
  ) {
    this.#receiver = receiver
    this.#converter = converter
    this.#pump = new EventPump({
      converter,
      pass: (text) => this.#pass(text),
      wait: () => share.wait(turnCosts.conversion, () => this.#continue()),
    })
  }

  attach(handle: RequestHandle): void {
    this.#handle = handle
    this.#receiver.attach(handle)
  }

  onAttemptSelected(target: AttemptTarget, requestsSent: number): void {
    this.#receiver.onAttemptSelected(target, requestsSent)
  }

  onListenerError(error: unknown): void {
    this.#receiver.onListenerError(error)
  }

  stop(...why: Parameters<ResponseReceiver["stop"]>): void {
    this.#receiver.stop(...why)
  }

  onHead(status: number, rawHeaders: readonly string[]): void {
    const type = headerOf(rawHeaders, "content-type") ?? ""
    const hasLines = status < 400 && type.startsWith("application/x-ndjson")
    this.#status = status
    if (hasLines) this.#decoder = new LineDecoder()
    if (this.#converter.passesBytesUnchanged) this.#content = "unknown"
    else if (status >= 400) this.#content = "error"
    else if (hasLines || type.startsWith("text/event-stream")) this.#content = "stream"
    else if (type === "" || type.includes("json")) this.#content = "body"
    // Lines of JSON are passed on as server-sent events.
    const headers = hasLines ? replaceContentType(rawHeaders, "text/event-stream") : rawHeaders
    this.#head = [status, headers]
    if (this.#content === "unknown" || this.#content === "error") this.#passHead()
  }

  onData(chunk: Buffer): boolean {
    if (this.#content === "over") return true
    if (this.#content === "unknown") return this.#receiver.onData(chunk)
    if (this.#content === "stream") return this.#convertEvents(dataOf(this.#decoder.push(chunk)))
    this.#bodyBytes += chunk.length
    if (this.#bodyBytes > maxBodyBytes)
      throw new MalformedResponse(`it exceeds ${maxBodyBytes / 1e6} MB`)
    this.#body.push(chunk)
    return true
  }

  onChunks(chunks: readonly Chunk[]): boolean {
    if (this.#content === "over") return true
    if (this.#content === "stream") return this.#convertEvents(chunks)
    const text = chunks.map((chunk) => joinPieces(this.#converter.encodeChunk(chunk))).join("")
    return this.#receiver.onData(Buffer.from(text))
  }

  onEnd(): void {
    if (this.#content === "over") return
    const bytes = this.#content === "body" ? Buffer.concat(this.#body) : null
    const { convertLargeBody } = this.#converter
    if (bytes && isLarge(bytes) && convertLargeBody)
      void this.#passWhenConverted(convertLargeBody(bytes))
    else this.#passReportedError(() => this.#passEnd())
  }

  onError(error: UpstreamError): void {
    if (this.#content === "over") return
    if (this.#pump.isWaiting) this.#passLast = () => this.#receiver.onError(error)
    else this.#receiver.onError(error)
  }

  #convertEvents(events: readonly StreamedPiece[]): boolean {
    return this.#passReportedError(() => this.#pump.push(events))
  }

  #passHead(): void {
    const head = this.#head
    this.#head = null
    if (head) this.#receiver.onHead(...head)
  }

  /** Passes on an error that the provider reports instead of an answer as one with a status. */
  #passReportedError(pass: () => boolean): boolean {
    try {
      return pass()
    } catch (error) {
      if (!(error instanceof ProviderError && this.#head)) throw error
      this.#content = "over"
      const headers = replaceContentType(this.#head[1], "application/json")
      if (error.retrySeconds > 0 && headerOf(headers, "retry-after") === null)
        headers.push("retry-after", `${error.retrySeconds}`)
      this.#receiver.onHead(error.status, headers)
      this.#receiver.onData(Buffer.from(JSON.stringify(error.body)))
      this.#receiver.onEnd()
      return true
    }
  }

  /** Continues in another turn. */
  #continue(): void {
    try {
      this.#passReportedError(() => this.#pump.run())
      if (this.#pump.isWaiting) return
      if (this.#passLast && this.#content !== "over") this.#passLast()
      // A receiver that is still full pauses the response again.
      else this.#handle?.resume()
    } catch (error) {
      this.#content = "over"
      this.#handle?.cancel()
      this.#passUnreadable(error)
    }
  }

  #pass(text: string): boolean {
    this.#passHead()
    return this.#receiver.onData(Buffer.from(text))
  }

  #passEnd(): boolean {
    if (this.#content === "stream") return this.#passEndOfStream()
    if (this.#content !== "unknown") this.#passBody()
    this.#receiver.onEnd()
    return true
  }

  #passEndOfStream(): boolean {
    this.#passLast = () => {
      this.#passHead()
      this.#receiver.onEnd()
    }
    this.#pump.end(dataOf(this.#decoder.end()))
    if (!this.#pump.isWaiting) this.#passLast()
    return true
  }

  /** The response has ended by then, and whatever fails is reported as the response's error. */
  async #passWhenConverted(converting: Promise<Buffer>): Promise<void> {
    try {
      const converted = await converting
      this.#passConverted(converted)
      this.#receiver.onEnd()
    } catch (error) {
      this.#passFailure(error)
    }
  }

  #passFailure(error: unknown): void {
    try {
      this.#passReportedError(() => {
        throw error
      })
    } catch (thrown) {
      this.#passUnreadable(thrown)
    }
  }

  #passUnreadable(error: unknown): void {
    try {
      this.#receiver.onError(new UpstreamError("unreadable", toError(error)))
    } catch (unexpected) {
      this.#receiver.onListenerError(unexpected)
    }
  }

  #passConverted(converted: Buffer): void {
    this.#passHead()
    this.#receiver.onData(converted)
  }

  /** An error that is large, or that the converter does not know, is passed on as it is. */
  #passBody(): void {
    const bytes = Buffer.concat(this.#body)
    if (this.#content === "error") {
      const body = isLarge(bytes) ? null : parseErrorObject(bytes.toString("utf8"))
      const error = body && this.#converter.convertError(body, this.#status)
      this.#receiver.onData(error ? Buffer.from(JSON.stringify(error)) : bytes)
      return
    }
    const body = parseErrorObject(bytes.toString("utf8"))
    if (!body) throw new MalformedResponse(translatable("not_a_completion"))
    this.#passConverted(Buffer.from(this.#converter.convertBody(body)))
  }
}
