import { headerOf, type ResponseHandler, type UpstreamError } from "@portico/http1"
import { parseObject } from "../formats/json-values.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import type { ResponseConverter } from "../formats/response-converter.ts"
import { createLineDecoder } from "../outbound/line-decoder.ts"
import { createSseDecoder } from "../outbound/sse-decoder.ts"

const maxBodyBytes = 16_000_000

/** Lines of JSON are passed on as server-sent events. */
const toEventStreamHeaders = (rawHeaders: readonly string[]): string[] =>
  rawHeaders.map((value, at) =>
    at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "content-type"
      ? "text/event-stream"
      : value,
  )

/** Passes on a response in another format: streams event by event, bodies when they are complete. */
export class ConvertingHandler implements ResponseHandler {
  readonly #receiver: ResponseHandler
  readonly #converter: ResponseConverter
  #events = createSseDecoder()
  #status = 0
  #content: "unknown" | "stream" | "body" | "error" = "unknown"
  #body: Buffer[] = []
  #bodyBytes = 0

  constructor(receiver: ResponseHandler, converter: ResponseConverter) {
    this.#receiver = receiver
    this.#converter = converter
  }

  onHead(status: number, rawHeaders: readonly string[]): void {
    const type = headerOf(rawHeaders, "content-type") ?? ""
    const hasLines = status < 400 && type.startsWith("application/x-ndjson")
    this.#status = status
    if (hasLines) this.#events = createLineDecoder()
    if (status >= 400) this.#content = "error"
    else if (hasLines || type.startsWith("text/event-stream")) this.#content = "stream"
    else if (type.includes("json")) this.#content = "body"
    this.#receiver.onHead(status, hasLines ? toEventStreamHeaders(rawHeaders) : rawHeaders)
  }

  onData(chunk: Buffer): boolean {
    if (this.#content === "unknown") return this.#receiver.onData(chunk)
    if (this.#content === "stream") return this.#passEvents(this.#events.read(chunk))
    this.#bodyBytes += chunk.length
    if (this.#bodyBytes > maxBodyBytes)
      throw new MalformedResponse(`it exceeds ${maxBodyBytes / 1e6} MB`)
    this.#body.push(chunk)
    return true
  }

  onEnd(): void {
    if (this.#content === "stream") {
      this.#passEvents(this.#events.end())
      this.#pass(this.#converter.endStream())
    } else if (this.#content !== "unknown") this.#passBody()
    this.#receiver.onEnd()
  }

  onError(error: UpstreamError): void {
    this.#receiver.onError(error)
  }

  #passEvents(events: readonly string[]): boolean {
    let text = ""
    for (const data of events) text += this.#converter.convertEvent(data)
    return this.#pass(text)
  }

  #pass(text: string): boolean {
    return text === "" || this.#receiver.onData(Buffer.from(text))
  }

  /** An error that the converter does not know is passed on as it is. */
  #passBody(): void {
    const bytes = Buffer.concat(this.#body)
    const body = parseObject(bytes.toString("utf8"))
    if (this.#content === "error") {
      const error = body && this.#converter.convertError(body, this.#status)
      this.#receiver.onData(error ? Buffer.from(JSON.stringify(error)) : bytes)
      return
    }
    if (!body) throw new MalformedResponse("it is not a completion")
    this.#receiver.onData(Buffer.from(JSON.stringify(this.#converter.convertBody(body))))
  }
}
