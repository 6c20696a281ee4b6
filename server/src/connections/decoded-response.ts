import { headerOf, type ResponseHandler, type UpstreamError } from "@portico/http1"
import { parseObject } from "../formats/json-values.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import { createLineDecoder } from "../outbound/line-decoder.ts"
import { createSseDecoder } from "../outbound/sse-decoder.ts"
import type { ChatFormat, ProviderModel } from "../providers/provider.ts"

/** The format of a response that is not OpenAI's, and the model that answers. */
export interface Conversion {
  format: ChatFormat
  model: ProviderModel
}

const maxBodyBytes = 16_000_000

const eventOf = (data: string): string => `data: ${data}\n\n`

/** Lines of JSON are passed on as server-sent events. */
const toEventStreamHeaders = (rawHeaders: readonly string[]): string[] =>
  rawHeaders.map((value, at) =>
    at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "content-type"
      ? "text/event-stream"
      : value,
  )

/** Passes on a provider's response in OpenAI's format: streams event by event. */
export class DecodedResponse implements ResponseHandler {
  readonly #receiver: ResponseHandler
  readonly #format: ChatFormat
  readonly #model: ProviderModel
  #events = createSseDecoder()
  readonly #decodeEvent: ReturnType<ChatFormat["createStreamDecoder"]>
  #content: "unknown" | "stream" | "body" | "error" = "unknown"
  #body: Buffer[] = []
  #bodyBytes = 0
  #isComplete = false

  constructor(receiver: ResponseHandler, { format, model }: Conversion) {
    this.#receiver = receiver
    this.#format = format
    this.#model = model
    this.#decodeEvent = format.createStreamDecoder(model)
  }

  onHead(status: number, rawHeaders: readonly string[]): void {
    const type = headerOf(rawHeaders, "content-type") ?? ""
    const hasLines = status < 400 && type.startsWith("application/x-ndjson")
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
    if (this.#content === "stream") this.#passEvents(this.#events.end())
    else if (this.#content !== "unknown") this.#passBody()
    this.#receiver.onEnd()
  }

  onError(error: UpstreamError): void {
    this.#receiver.onError(error)
  }

  #passEvents(events: readonly string[]): boolean {
    let text = ""
    for (const data of events) {
      if (this.#isComplete) break
      const event = parseObject(data)
      if (!event) throw new MalformedResponse("it has an event that is not a JSON object")
      for (const chunk of this.#decodeEvent(event)) {
        this.#isComplete = chunk === null
        text += eventOf(chunk === null ? "[DONE]" : JSON.stringify(chunk))
      }
    }
    return text === "" || this.#receiver.onData(Buffer.from(text))
  }

  /** An error that is not one of this format is passed on as it is. */
  #passBody(): void {
    const bytes = Buffer.concat(this.#body)
    const body = parseObject(bytes.toString("utf8"))
    if (this.#content === "error") {
      const error = body && this.#format.decodeError(body)
      this.#receiver.onData(error ? Buffer.from(JSON.stringify({ error })) : bytes)
      return
    }
    if (!body) throw new MalformedResponse("it is not a completion")
    const completion = this.#format.decodeResponse(body, this.#model)
    this.#receiver.onData(Buffer.from(JSON.stringify(completion)))
  }
}
