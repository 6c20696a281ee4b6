import type { Failure } from "../errors.ts"
import { type Fields, isObject, parseObject, textOf } from "../formats/json-values.ts"
import { formatResponsesFailure, lastEventTypes } from "../formats/responses/failure-event.ts"
import { dataOfEvent, formatTypedEvent } from "../formats/sse-events.ts"
import { toFailure } from "../http/errors.ts"
import type { RequestContext } from "../http/request-context.ts"
import { maxResponseBytes } from "../stored-responses/new-response.ts"
import type { RelayOptions } from "./relay.ts"
import type { FailurePoint, ResponseHead } from "./response-consumer.ts"
import type { ResponseStorage } from "./response-storage.ts"
import { ResponsesApiRelay } from "./responses-api-relay.ts"

const responseMark = /"response" ?:/
const afterBlankLine = /(?<=\n\r?\n)/

type Stage =
  | "answering"
  /** The last event is held back. */
  | "saving"
  | "saved"

/**
 * Relays a response of the Responses API and stores it: its end reaches the client when it is
 * stored, so that the client can refer to it, or with `"store": false` if it exceeds a limit. One that
 * is too large to be held in memory is sent as it arrives, with the provider's `"store": false`.
 */
export class StoringResponseRelay extends ResponsesApiRelay {
  override readonly passesBodiesAbove = maxResponseBytes
  readonly #exchange: RequestContext
  readonly #storage: ResponseStorage
  #stage: Stage = "answering"
  #isEnding = false
  /** What follows the last event while it is held back. */
  #held = ""

  constructor(exchange: RequestContext, options: RelayOptions, storage: ResponseStorage) {
    super(exchange, options)
    this.#exchange = exchange
    this.#storage = storage
  }

  override onEnd(): void {
    this.#isEnding = true
    this.relayRemainder()
    if (this.#stage !== "saving") this.endReply()
  }

  override onBody(body: Buffer, head: ResponseHead): void {
    const response = parseObject(body.toString("utf8"))
    if (!Array.isArray(response?.output)) {
      super.onBody(body, head)
      return
    }
    const changed = { ...response, ...this.#storage.members }
    const send = (store: boolean): void =>
      super.onBody(Buffer.from(JSON.stringify({ ...changed, store })), head)
    this.#storage.save(changed).then(send, (error: unknown) => {
      super.onFailure(toFailure(error), { head: null, isFrameOpen: false })
    })
  }

  override onFailure(failure: Failure, at: FailurePoint): void {
    // The response itself is complete.
    if (this.#stage === "saving") this.#isEnding = true
    else super.onFailure(failure, at)
  }

  protected override relayFrames(frames: Buffer): boolean {
    const text = frames.toString("utf8")
    const isUnchanged = this.#stage === "answering" && !responseMark.test(text)
    if (isUnchanged || this.#stage === "saved") return super.relayFrames(frames)
    let relayed = ""
    for (const frame of text.split(afterBlankLine)) {
      if (this.#stage === "saving") this.#held += frame
      else relayed += this.#rewriteFrame(frame)
    }
    return super.relayFrames(Buffer.from(relayed))
  }

  /** Changes an event that contains the response object. The last one is held back and saved. */
  #rewriteFrame(frame: string): string {
    const event = responseMark.test(frame) ? parseObject(dataOfEvent(frame)) : null
    if (!(event && isObject(event.response))) return frame
    const response = { ...event.response, ...this.#storage.members }
    if (!lastEventTypes.has(textOf(event.type))) return formatTypedEvent({ ...event, response })
    this.#stage = "saving"
    this.#storage.save(response).then(
      (store) => this.#release({ ...event, response: { ...response, store } }),
      (error: unknown) => this.#endUnsaved(error),
    )
    return ""
  }

  #endUnsaved(error: unknown): void {
    const failure = toFailure(error)
    this.#exchange.failure = failure
    super.relayFrames(Buffer.from(formatResponsesFailure(failure, this.sent)))
    this.endReply()
  }

  #release(lastEvent: Fields): void {
    this.#stage = "saved"
    super.relayFrames(Buffer.from(formatTypedEvent(lastEvent) + this.#held))
    this.#held = ""
    if (this.#isEnding) this.endReply()
  }
}
