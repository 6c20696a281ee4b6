import { lastBoundary } from "./sse-scanner.ts"

const maxPendingBytes = 16_000_000
const empty = Buffer.alloc(0)
/** A blank line may begin this many bytes before a chunk. */
const maxBoundaryBytes = 2

/** Cuts a stream of server-sent events into pieces of whole events. */
export class SseFrames {
  #pending: Buffer[] = []
  #pendingBytes = 0
  /** The last of the pending bytes. */
  #tail: Buffer = empty

  /** Whether an event is too large to wait for its end. */
  get isFull(): boolean {
    return this.#pendingBytes > maxPendingBytes
  }

  /** @returns whole events, possibly none */
  push(chunk: Buffer): Buffer {
    const searched = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk])
    const end = lastBoundary(searched) - this.#tail.length
    if (end <= 0) {
      this.#hold(chunk)
      return empty
    }
    const whole = this.#pending.length === 0 ? chunk.subarray(0, end) : this.#join(chunk, end)
    this.#clear()
    this.#hold(chunk.subarray(end))
    return whole
  }

  /** The bytes of an event that has no end. */
  takeRemainder(): Buffer {
    const rest = Buffer.concat(this.#pending)
    this.#clear()
    return rest
  }

  #join(chunk: Buffer, end: number): Buffer {
    return Buffer.concat([...this.#pending, chunk.subarray(0, end)])
  }

  #hold(chunk: Buffer): void {
    if (chunk.length === 0) return
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-maxBoundaryBytes)]).subarray(
      -maxBoundaryBytes,
    )
  }

  #clear(): void {
    this.#pending = []
    this.#pendingBytes = 0
    this.#tail = empty
  }
}
