/** Tracks the heading path while a document is read top to bottom. */
export class HeadingTracker {
  readonly #stack: { level: number; text: string }[] = []

  enter(level: number, text: string): void {
    while ((this.#stack.at(-1)?.level ?? 0) >= level) this.#stack.pop()
    this.#stack.push({ level, text: text.slice(0, 200) })
  }

  path(): { heading?: string[] } {
    return this.#stack.length > 0 ? { heading: this.#stack.map(({ text }) => text) } : {}
  }
}
