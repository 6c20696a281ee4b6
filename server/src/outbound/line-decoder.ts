import { MalformedResponse } from "../formats/malformed-response.ts"

/** Limit for one line, as for a server-sent event. */
const maxLineCharacters = 16_000_000

/** Incremental decoder for newline-delimited JSON; input may be split at any byte. */
export class LineDecoder {
  readonly #text = new TextDecoder()
  /** The incomplete last line. */
  #line = ""

  /**
   * @returns the lines that the chunk completes, without blank ones
   * @throws {MalformedResponse} for a line of more than 16 million characters
   */
  push(chunk: Buffer): string[] {
    return this.#split(this.#text.decode(chunk, { stream: true }))
  }

  /** @returns a final line whose newline is missing */
  end(): string[] {
    return this.#split(`${this.#text.decode()}\n`)
  }

  #split(text: string): string[] {
    const [first = "", ...others] = text.split("\n")
    const lines = [this.#line + first, ...others]
    if (lines.some(({ length }) => length > maxLineCharacters)) {
      throw new MalformedResponse(`it has a line of more than ${maxLineCharacters / 1e6} MB`)
    }
    this.#line = lines.pop() ?? ""
    return lines.filter((line) => line.trim() !== "")
  }
}
