const newline = 0x0a

/** Calls back while a stream is silent, between its events. */
export class Pings {
  readonly #intervalMs: number
  readonly #send: () => void
  #timer: NodeJS.Timeout | undefined
  #isSilent = true
  #lastByte = newline
  /** Whether the last event was sent completely, with its blank line. */
  #isBetweenEvents = true

  constructor(intervalMs: number, send: () => void) {
    this.#intervalMs = intervalMs
    this.#send = send
  }

  start(): void {
    this.#timer = setInterval(() => {
      if (this.#isSilent && this.#isBetweenEvents) this.#send()
      this.#isSilent = true
    }, this.#intervalMs).unref()
  }

  recordChunk(bytes: Buffer): void {
    this.#isSilent = false
    const last = bytes.at(-1) ?? this.#lastByte
    const previous = bytes.at(-2) ?? this.#lastByte
    this.#isBetweenEvents = last === newline && previous === newline
    this.#lastByte = last
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
