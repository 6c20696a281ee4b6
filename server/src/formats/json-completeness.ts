/** Detects the end of a JSON object that arrives in pieces, in linear time. */
export class JsonCompleteness {
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** Whether the outermost object or array has been closed. */
  isComplete = false

  /** @returns how much of the text belongs to the outermost object or array */
  push(text: string): number {
    for (let at = 0; at < text.length; at++) {
      const character = text.charAt(at)
      if (this.#isInString) this.#readInString(character)
      else if (this.#closesOutermost(character)) return at + 1
    }
    return text.length
  }

  #closesOutermost(character: string): boolean {
    if (character === '"') this.#isInString = true
    else if (character === "{" || character === "[") this.#depth++
    else if (character === "}" || character === "]") this.isComplete = --this.#depth === 0
    else return false
    return this.isComplete
  }

  #readInString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (character === "\\") this.#isEscaped = true
    else if (character === '"') this.#isInString = false
  }
}
