import type { Failure } from "../errors.ts"
import { CompletionRelay } from "./relay.ts"
import type { FailurePoint, ResponseHead } from "./response-consumer.ts"
import { SseFrames } from "./sse-frames.ts"

/**
 * Relays a response of the Responses API. Its events are sent as a whole, so that one which reports a
 * failure can follow them.
 */
export class ResponsesApiRelay extends CompletionRelay {
  readonly #frames = new SseFrames()
  #isStream = false

  override onStart(head: ResponseHead): void {
    this.#isStream = head.isStream
    super.onStart(head)
  }

  override onChunk(bytes: Buffer): boolean {
    return this.#isStream ? this.relayFrames(this.#frames.push(bytes)) : super.onChunk(bytes)
  }

  override onEnd(): void {
    this.relayRemainder()
    this.endReply()
  }

  /** The beginning of an event that did not arrive completely is dropped. */
  override onFailure(failure: Failure, at: FailurePoint): void {
    super.onFailure(failure, { ...at, isFrameOpen: false })
  }

  /** Relays the last event of a stream that does not end with a blank line. */
  protected relayRemainder(): void {
    this.relayFrames(this.#frames.takeRemainder())
  }

  protected endReply(): void {
    super.onEnd()
  }

  /** @param frames whole events, possibly none */
  protected relayFrames(frames: Buffer): boolean {
    return frames.length === 0 || super.onChunk(frames)
  }
}
