import { MalformedResponse } from "./malformed-response.ts"

const maxBytes = 16_000_000
/** Events about an answer of this size are written in one piece. */
const smallBytes = 16 * 1024
/** What a block takes besides its text. */
const blockBytes = 200

/** Counts what is held in memory of one streamed answer. */
export class AnswerMemory {
  #bytes = 0

  get isSmall(): boolean {
    return this.#bytes <= smallBytes
  }

  /** @throws {MalformedResponse} beyond 16 MB */
  add(text: string): void {
    this.#count(text.length)
  }

  /** @throws {MalformedResponse} beyond 16 MB */
  addBlock(): void {
    this.#count(blockBytes)
  }

  removeBlock(text: string): void {
    this.#bytes -= blockBytes + text.length
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > maxBytes)
      throw new MalformedResponse(`it has an answer of more than ${maxBytes / 1e6} MB`)
  }
}
