import type { Failure } from "../../errors.ts"
import { lastEventTypes } from "../../formats/responses/failure-event.ts"
import { toFailure } from "../../http/failure-response.ts"
import type { AdmittedRequest } from "../../limits/admission/admitted-request.ts"
import { maxResponseBytes } from "../../stored-responses/serialize-response.ts"
import { readResponseBody, readResponseEvent } from "./embedded-response.ts"
import type { ProviderErrorReply } from "./provider-error-reply.ts"
import type {
  FailurePoint,
  ResponseConsumer,
  ResponseHandle,
  ResponseHead,
  ResponseResult,
} from "./response-consumer.ts"
import type { ResponseStorage } from "./response-storage.ts"
import { maxWholeEventBytes } from "./sse-scanner.ts"
import { splitEvents } from "./whole-events.ts"

/** Text in an event cannot contain it: there, the quotes are escaped. */
const responseMark = Buffer.from('"response"')
/** Nothing but `[DONE]` is expected after the last event; more is dropped. */
const maxHeldBytes = 64 * 1024
const empty = Buffer.alloc(0)

type Stage =
  | "answering"
  /** The last event is held back. */
  | "saving"
  /** The rest is passed on unread: the response is saved, or too large to be held in memory. */
  | "passing"

/**
 * Stores a response of the Responses API on its way to the next consumer: its end is passed on when it
 * is stored, so that the client can refer to it, or with `"store": false` if it exceeds a limit. One
 * that is too large to be held in memory is passed on as it arrives, with the provider's
 * `"store": false`. Streams must arrive in whole events.
 */
export class StoringConsumer implements ResponseConsumer {
  readonly passesBodiesAbove = maxResponseBytes
  readonly #next: ResponseConsumer
  readonly #storage: ResponseStorage
  #head: ResponseHead | null = null
  #stage: Stage = "answering"
  #isEnding = false
  /** What follows the last event while it is held back. */
  #held: Buffer[] = []
  #heldBytes = 0

  constructor(next: ResponseConsumer, storage: ResponseStorage) {
    this.#next = next
    this.#storage = storage
  }

  onOpen(handle: ResponseHandle): void {
    this.#next.onOpen?.(handle)
  }

  onAdmitted(admitted: Pick<AdmittedRequest, "limitHeaders">): void {
    this.#next.onAdmitted?.(admitted)
  }

  onStart(head: ResponseHead): void {
    this.#head = head
    if (!head.isStream) this.#stage = "passing"
    this.#next.onStart(head)
  }

  onChunk(bytes: Buffer): boolean {
    if (this.#stage === "answering" && bytes.length > maxWholeEventBytes) this.#stage = "passing"
    const isUnchanged = this.#stage === "answering" && !bytes.includes(responseMark)
    if (isUnchanged || this.#stage === "passing") return this.#next.onChunk(bytes)
    const passed = Buffer.concat(splitEvents(bytes).map((event) => this.#readEvent(event)))
    return passed.length === 0 || this.#next.onChunk(passed)
  }

  onEnd(): void {
    this.#isEnding = true
    if (this.#stage !== "saving") this.#next.onEnd()
  }

  onBody(body: Buffer, head: ResponseHead): void {
    const found = readResponseBody(body)
    if (!found) {
      this.#next.onBody?.(body, head)
      return
    }
    this.#storage.save(found.response).then(
      (store) => this.#next.onBody?.(found.withMembers({ ...this.#storage.members, store }), head),
      (error: unknown) => this.#fail(error),
    )
  }

  onErrorReply(error: ProviderErrorReply, head: ResponseHead): void {
    this.#next.onErrorReply?.(error, head)
  }

  onFailure(failure: Failure, at: FailurePoint): void {
    // The response itself is complete.
    if (this.#stage === "saving") this.#isEnding = true
    else this.#next.onFailure(failure, at)
  }

  onDone(result: ResponseResult): void {
    this.#next.onDone?.(result)
  }

  /** @returns the event to pass on, with the members of the stored response; the last one is held back */
  #readEvent(event: Buffer): Buffer {
    if (this.#stage === "saving") return this.#hold(event)
    const found = event.includes(responseMark) ? readResponseEvent(event) : null
    if (!found) return event
    const { members } = this.#storage
    if (!lastEventTypes.has(found.type)) return found.withMembers(members)
    this.#stage = "saving"
    this.#storage.save(found.response).then(
      (store) => this.#release(found.withMembers({ ...members, store })),
      (error: unknown) => this.#fail(error),
    )
    return empty
  }

  #hold(event: Buffer): Buffer {
    this.#heldBytes += event.length
    if (this.#heldBytes <= maxHeldBytes) this.#held.push(event)
    return empty
  }

  #release(lastEvent: Buffer): void {
    this.#stage = "passing"
    this.#next.onChunk(Buffer.concat([lastEvent, ...this.#held]))
    this.#held = []
    if (this.#isEnding) this.#next.onEnd()
  }

  #fail(error: unknown): void {
    this.#next.onFailure(toFailure(error), { head: this.#head, isEventOpen: false })
  }
}
