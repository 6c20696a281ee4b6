const newline = 0x0a
const carriageReturn = 0x0d
/** An event ends with a blank line. */
const newlinesAfterEvent = 2

/** Calls back while a stream is silent, between its events. */
export class Pings {
  readonly #intervalMs: number
  readonly #send: () => void
  #timer: NodeJS.Timeout | undefined
  #isSilent = true
  /** Line breaks after the last text, up to the end of an event. */
  #newlines = newlinesAfterEvent

  constructor(intervalMs: number, send: () => void) {
    this.#intervalMs = intervalMs
    this.#send = send
  }

  start(): void {
    this.#timer = setInterval(() => {
      if (this.#isSilent && this.#newlines === newlinesAfterEvent) this.#send()
      this.#isSilent = true
    }, this.#intervalMs).unref()
  }

  recordChunk(bytes: Buffer): void {
    this.#isSilent = false
    let newlines = 0
    let at = bytes.length - 1
    while (at >= 0 && newlines < newlinesAfterEvent) {
      if (bytes[at] === newline) newlines++
      else if (bytes[at] !== carriageReturn) break
      at--
    }
    const isOnlyNewlines = at < 0
    this.#newlines = Math.min(newlinesAfterEvent, newlines + (isOnlyNewlines ? this.#newlines : 0))
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
