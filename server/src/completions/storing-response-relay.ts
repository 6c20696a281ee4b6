import type { Failure } from "../errors.ts"
import { isObject, parseObject, textOf } from "../formats/json-values.ts"
import { formatResponsesFailure, lastEventTypes } from "../formats/responses/failure-event.ts"
import { dataOfEvent } from "../formats/sse-events.ts"
import { toFailure } from "../http/errors.ts"
import type { RequestContext } from "../http/request-context.ts"
import type { AnsweredRequest } from "../stored-responses/new-response.ts"
import type { RelayOptions } from "./relay.ts"
import type { FailurePoint, ResponseHead } from "./response-consumer.ts"
import { ResponsesApiRelay } from "./responses-api-relay.ts"

export interface ResponseStorage {
  /**
   * Members of the response that depend on the gateway. It has an id of its own, because providers
   * may repeat theirs.
   */
  members: { id: string; store: true; previous_response_id: unknown }
  /** Resolves when the response is stored durably. */
  save: (response: AnsweredRequest["response"]) => Promise<void>
}

const responseMark = /"response" ?:/
const afterBlankLine = /(?<=\n\r?\n)/

/**
 * Relays a response of the Responses API and stores it: its end reaches the client when it is
 * stored, so that the client can refer to it.
 */
export class StoringResponseRelay extends ResponsesApiRelay {
  override readonly passesLongBodies = false
  readonly #exchange: RequestContext
  readonly #storage: ResponseStorage
  #isEnding = false
  #isSaving = false
  /** What follows when the response is stored. */
  #held = ""

  constructor(exchange: RequestContext, options: RelayOptions, storage: ResponseStorage) {
    super(exchange, options)
    this.#exchange = exchange
    this.#storage = storage
  }

  override onEnd(): void {
    this.#isEnding = true
    this.relayRemainder()
    if (!this.#isSaving) this.endReply()
  }

  override onBody(body: Buffer, head: ResponseHead): void {
    const response = parseObject(body.toString("utf8"))
    if (typeof response?.id !== "string") {
      super.onBody(body, head)
      return
    }
    const changed = { ...response, ...this.#storage.members }
    const send = (): void => super.onBody(Buffer.from(JSON.stringify(changed)), head)
    this.#storage.save(changed).then(send, (error: unknown) => {
      super.onFailure(toFailure(error), { head: null, isFrameOpen: false })
    })
  }

  override onFailure(failure: Failure, at: FailurePoint): void {
    // The response itself is complete.
    if (this.#isSaving) this.#isEnding = true
    else super.onFailure(failure, at)
  }

  protected override relayFrames(frames: Buffer): boolean {
    const text = frames.toString("utf8")
    if (!(this.#isSaving || responseMark.test(text))) return super.relayFrames(frames)
    let relayed = ""
    for (const frame of text.split(afterBlankLine)) {
      const rewritten = this.#rewriteFrame(frame)
      if (this.#isSaving) this.#held += rewritten
      else relayed += rewritten
    }
    return super.relayFrames(Buffer.from(relayed))
  }

  /** Changes an event that contains the response object, and starts saving at the last one. */
  #rewriteFrame(frame: string): string {
    const event = responseMark.test(frame) ? parseObject(dataOfEvent(frame)) : null
    if (!(event && isObject(event.response))) return frame
    const response = { ...event.response, ...this.#storage.members }
    const type = textOf(event.type)
    if (lastEventTypes.has(type)) this.#startSaving(response)
    return `event: ${type}\ndata: ${JSON.stringify({ ...event, response })}\n\n`
  }

  #startSaving(response: AnsweredRequest["response"]): void {
    if (this.#isSaving) return
    this.#isSaving = true
    this.#storage.save(response).then(
      () => this.#release(),
      (error: unknown) => this.#endUnsaved(error),
    )
  }

  #endUnsaved(error: unknown): void {
    const failure = toFailure(error)
    this.#exchange.failure = failure
    super.relayFrames(Buffer.from(formatResponsesFailure(failure, this.sent)))
    this.endReply()
  }

  #release(): void {
    this.#isSaving = false
    super.relayFrames(Buffer.from(this.#held))
    this.#held = ""
    if (this.#isEnding) this.endReply()
  }
}
