const quote = 0x22
const backslash = 0x5c

/** Detects the end of a JSON object that arrives in pieces, in linear time. */
export class JsonCompleteness {
  #depth = 0
  /** Commas outside of texts: about the number of values. */
  commas = 0
  #isInString = false
  #isEscaped = false
  /** Whether the outermost object or array has been closed. */
  isComplete = false

  /** @returns how much of the text belongs to the outermost object or array */
  push(text: string): number {
    for (let at = 0; at < text.length; at++) {
      if (this.#isInString) this.#readInString(text.charCodeAt(at))
      else if (this.#closesOutermost(text.charAt(at))) return at + 1
    }
    return text.length
  }

  #closesOutermost(character: string): boolean {
    if (character === '"') this.#isInString = true
    else if (character === ",") this.commas++
    else if (character === "{" || character === "[") this.#depth++
    else if (character === "}" || character === "]") this.isComplete = --this.#depth === 0
    else return false
    return this.isComplete
  }

  #readInString(character: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (character === backslash) this.#isEscaped = true
    else if (character === quote) this.#isInString = false
  }
}
