import type { Failure } from "../errors.ts"
import { isObject, parseObject, textOf } from "../formats/json-values.ts"
import { formatResponsesFailure, lastEventTypes } from "../formats/responses/failure-event.ts"
import { dataOfEvent, formatTypedEvent } from "../formats/sse-events.ts"
import { isLarge } from "../http/body-buffer.ts"
import { toFailure } from "../http/errors.ts"
import type { RequestContext } from "../http/request-context.ts"
import { maxResponseBytes } from "../stored-responses/new-response.ts"
import { type LargeResponse, readLargeBody, readLargeEvent, splitFrames } from "./large-response.ts"
import type { RelayOptions } from "./relay.ts"
import type { FailurePoint, ResponseHead } from "./response-consumer.ts"
import type { ResponseStorage } from "./response-storage.ts"
import { ResponsesApiRelay } from "./responses-api-relay.ts"

/** Text in an event cannot contain it: there, the quotes are escaped. */
const responseMark = /"response"/
/** Nothing but `[DONE]` is expected after the last event; more is dropped. */
const maxHeldLength = 64 * 1024
const afterBlankLine = /(?<=\n\r?\n)/
const empty = Buffer.alloc(0)

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
  readonly #context: RequestContext
  readonly #storage: ResponseStorage
  #stage: Stage = "answering"
  #isEnding = false
  /** What follows the last event while it is held back. */
  #held = ""

  constructor(context: RequestContext, options: RelayOptions, storage: ResponseStorage) {
    super(context, options)
    this.#context = context
    this.#storage = storage
  }

  override onEnd(): void {
    this.#isEnding = true
    this.relayRemainder()
    if (this.#stage !== "saving") this.endReply()
  }

  override onBody(body: Buffer, head: ResponseHead): void {
    if (isLarge(body)) {
      const large = readLargeBody(body)
      if (large) this.#saveLargeBody(large, head)
      else super.onBody(body, head)
      return
    }
    const response = parseObject(body.toString("utf8"))
    if (!Array.isArray(response?.output)) {
      super.onBody(body, head)
      return
    }
    const changed = { ...response, ...this.#storage.members }
    const format = (store: boolean) => Buffer.from(JSON.stringify({ ...changed, store }))
    this.#sendBody(this.#storage.save(changed), format, head)
  }

  #saveLargeBody(large: LargeResponse, head: ResponseHead): void {
    const format = (store: boolean) => large.withMembers({ ...this.#storage.members, store })
    this.#sendBody(this.#storage.saveLarge(large.bytes), format, head)
  }

  #sendBody(saved: Promise<boolean>, format: (store: boolean) => Buffer, head: ResponseHead): void {
    saved.then(
      (store) => super.onBody(format(store), head),
      (error: unknown) => {
        super.onFailure(toFailure(error), { head: null, isFrameOpen: false })
      },
    )
  }

  override onFailure(failure: Failure, at: FailurePoint): void {
    // The response itself is complete.
    if (this.#stage === "saving") this.#isEnding = true
    else super.onFailure(failure, at)
  }

  protected override relayFrames(frames: Buffer): boolean {
    if (isLarge(frames) && this.#stage === "answering") return this.#relayLarge(frames)
    const text = frames.toString("utf8")
    const isUnchanged = this.#stage === "answering" && !responseMark.test(text)
    if (isUnchanged || this.#stage === "saved") return super.relayFrames(frames)
    let relayed = ""
    for (const frame of text.split(afterBlankLine)) {
      if (this.#stage === "saving") this.#hold(frame)
      else relayed += this.#rewriteFrame(frame)
    }
    return super.relayFrames(Buffer.from(relayed))
  }

  #relayLarge(frames: Buffer): boolean {
    const relayed = splitFrames(frames).map((frame) => {
      if (this.#stage === "answering") {
        return isLarge(frame)
          ? this.#rewriteLargeFrame(frame)
          : Buffer.from(this.#rewriteFrame(frame.toString("utf8")))
      }
      this.#hold(frame.toString("utf8"))
      return empty
    })
    return super.relayFrames(Buffer.concat(relayed))
  }

  #rewriteLargeFrame(frame: Buffer): Buffer {
    const event = readLargeEvent(frame)
    if (!event) return frame
    const { members } = this.#storage
    if (!lastEventTypes.has(event.type)) return event.withMembers(members)
    this.#saveLast(this.#storage.saveLarge(event.bytes), (store) =>
      event.withMembers({ ...members, store }),
    )
    return empty
  }

  #hold(frame: string): void {
    if (this.#held.length + frame.length <= maxHeldLength) this.#held += frame
  }

  /** Changes an event that contains the response object. The last one is held back and saved. */
  #rewriteFrame(frame: string): string {
    const event = responseMark.test(frame) ? parseObject(dataOfEvent(frame)) : null
    if (!(event && isObject(event.response))) return frame
    const response = { ...event.response, ...this.#storage.members }
    if (!lastEventTypes.has(textOf(event.type))) return formatTypedEvent({ ...event, response })
    this.#saveLast(this.#storage.save(response), (store) =>
      Buffer.from(formatTypedEvent({ ...event, response: { ...response, store } })),
    )
    return ""
  }

  #saveLast(saved: Promise<boolean>, format: (store: boolean) => Buffer): void {
    this.#stage = "saving"
    saved.then(
      (store) => this.#release(format(store)),
      (error: unknown) => this.#endUnsaved(error),
    )
  }

  #endUnsaved(error: unknown): void {
    const failure = toFailure(error)
    this.#context.failure = failure
    super.relayFrames(Buffer.from(formatResponsesFailure(failure, this.sent)))
    this.endReply()
  }

  #release(lastEvent: Buffer): void {
    this.#stage = "saved"
    super.relayFrames(Buffer.concat([lastEvent, Buffer.from(this.#held)]))
    this.#held = ""
    if (this.#isEnding) this.endReply()
  }
}
