import type { LogMessage } from "./isolate-messages.ts"
import { findSourcePosition } from "./source-position.ts"
import type { LogLine } from "./worker-protocol.ts"

/** One more line reports that others were dropped. */
const maxLines = 199
const maxCharacters = 64 * 1024

/** Collects the log lines of one run, up to a limit. */
export class RunLog {
  readonly #elapsedMs: () => number
  #lines: LogLine[] = []
  #lineCount = 0
  #characters = 0
  #isFull = false

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs
  }

  /** @returns false if the log is full */
  write({ level, text, stack }: LogMessage): boolean {
    this.#characters += text.length
    this.#isFull ||= this.#lineCount >= maxLines || this.#characters > maxCharacters
    if (this.#isFull) return false
    this.#lineCount++
    this.#add({ level, text, line: findSourcePosition(stack).line })
    return true
  }

  /** Returns and clears the lines written so far. */
  take(): LogLine[] {
    const lines = this.#lines
    this.#lines = []
    return lines
  }

  /** Adds a notice if lines were dropped. */
  close(): void {
    const text = "Log limit reached; further lines were dropped"
    if (this.#isFull) this.#add({ level: "warn", text, line: null })
  }

  #add(line: Omit<LogLine, "at_ms">): void {
    this.#lines.push({ ...line, at_ms: Math.round(this.#elapsedMs()) })
  }
}
