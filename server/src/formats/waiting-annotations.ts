import { isUrlCitation, shiftAnnotation } from "./annotations.ts"
import type { AnswerMemory } from "./answer-memory.ts"
import type { Fields } from "./json-values.ts"

/** Annotations of a streamed answer whose text may be still to come. */
export class WaitingAnnotations {
  readonly #held: AnswerMemory
  /** Some servers repeat all annotations with each chunk. */
  readonly #known = new Set<string>()
  #waiting: Fields[] = []

  constructor(held: AnswerMemory) {
    this.#held = held
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** @throws {MalformedResponse} if they are too many */
  add(annotations: readonly Fields[]): void {
    for (const annotation of annotations.filter(isUrlCitation)) {
      const text = JSON.stringify(annotation)
      if (this.#known.has(text)) continue
      this.#held.add(text)
      this.#known.add(text)
      this.#waiting.push(annotation)
    }
  }

  /** @param start how much of the answer's text precedes the text that they belong to */
  take(start: number): Fields[] {
    const taken = this.#waiting.map((annotation) => shiftAnnotation(annotation, start))
    this.#waiting = []
    return taken
  }
}
