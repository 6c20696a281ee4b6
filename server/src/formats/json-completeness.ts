/** Detects the end of a JSON object that arrives in pieces, in linear time. */
export class JsonCompleteness {
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** Whether the outermost object or array has been closed. */
  isComplete = false

  push(text: string): void {
    for (const character of text) {
      if (this.#isInString) this.#readInString(character)
      else if (character === '"') this.#isInString = true
      else if (character === "{" || character === "[") this.#depth++
      else if (character === "}" || character === "]") this.isComplete = --this.#depth === 0
    }
  }

  #readInString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (character === "\\") this.#isEscaped = true
    else if (character === '"') this.#isInString = false
  }
}
