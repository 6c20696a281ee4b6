import type { Failure } from "../errors.ts"
import { CompletionRelay } from "./relay.ts"
import type { FailurePoint, ResponseHead } from "./response-consumer.ts"
import { SseFrames } from "./sse-frames.ts"

/**
 * Relays a response of the Responses API. Its events are sent as a whole, so that one which reports a
 * failure can follow them, until one is too large to be held in memory, such as an image.
 */
export class ResponsesApiRelay extends CompletionRelay {
  /** Null if bytes are sent as they arrive. */
  #frames: SseFrames | null = null

  override onStart(head: ResponseHead): void {
    if (head.isStream) this.#frames = new SseFrames()
    super.onStart(head)
  }

  override onChunk(bytes: Buffer): boolean {
    const frames = this.#frames
    if (!frames) return super.onChunk(bytes)
    const canContinue = this.relayFrames(frames.push(bytes))
    if (!frames.isFull) return canContinue
    this.#frames = null
    return super.onChunk(frames.takeRemainder())
  }

  override onEnd(): void {
    this.relayRemainder()
    this.endReply()
  }

  /** The beginning of an event that did not arrive completely is dropped if it was not sent. */
  override onFailure(failure: Failure, at: FailurePoint): void {
    super.onFailure(failure, { ...at, isFrameOpen: this.#frames === null && at.isFrameOpen })
  }

  /** Relays the last event of a stream that does not end with a blank line. */
  protected relayRemainder(): void {
    if (this.#frames) this.relayFrames(this.#frames.takeRemainder())
  }

  protected endReply(): void {
    super.onEnd()
  }

  /** @param frames whole events, possibly none */
  protected relayFrames(frames: Buffer): boolean {
    return frames.length === 0 || super.onChunk(frames)
  }
}
