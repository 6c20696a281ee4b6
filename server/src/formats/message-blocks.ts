import { type Fields, numberOf, objectOf, objectsIn, textOf } from "./json-values.ts"
import { partsOf } from "./message-content.ts"

/** What an assistant's message consists of: content, details of its reasoning, and tool calls. */
export interface MessageBlock {
  kind: "part" | "reasoning" | "call"
  fields: Fields
}

interface PlacedDetail {
  detail: Fields
  characters: number
  calls: number
}

const placeDetail = (detail: Fields): PlacedDetail => {
  const { characters, tool_calls } = objectOf(detail.preceding)
  return { detail, characters: Math.ceil(numberOf(characters)), calls: numberOf(tool_calls) }
}

/** Splits a text, but not within a character that consists of two code units. */
const splitText = (text: string, at: number): [string, string] => {
  const isWithinCharacter = (text.codePointAt(at - 1) ?? 0) > 0xffff
  const end = isWithinCharacter ? at + 1 : at
  return [text.slice(0, end), text.slice(end)]
}

/** Puts reasoning between the parts and calls of a message, which are added one after the other. */
class BlockSequence {
  readonly blocks: MessageBlock[] = []
  /** Reasoning whose position is not reached yet, in reverse order. */
  readonly #waiting: PlacedDetail[]
  #characters = 0
  #calls = 0

  constructor(details: readonly Fields[]) {
    this.#waiting = details.map(placeDetail).reverse()
  }

  addPart(part: Fields): void {
    let text = textOf(part.text)
    for (let length = this.#lengthToReasoning(); length < text.length; ) {
      const [before, after] = splitText(text, length)
      this.#add({ ...part, text: before }, before.length)
      text = after
      length = this.#lengthToReasoning()
    }
    this.#add(typeof part.text === "string" ? { ...part, text } : part, text.length)
  }

  addCall(call: Fields): void {
    // The text may have become shorter: reasoning that followed it is not left behind the calls.
    this.#characters = Number.POSITIVE_INFINITY
    this.#addReasoning()
    this.blocks.push({ kind: "call", fields: call })
    this.#calls++
  }

  end(): void {
    this.#characters = Number.POSITIVE_INFINITY
    this.#calls = Number.POSITIVE_INFINITY
    this.#addReasoning()
  }

  #add(part: Fields, length: number): void {
    this.blocks.push({ kind: "part", fields: part })
    this.#characters += length
  }

  /** Adds the reasoning that belongs here. @returns the length of the text before the next one */
  #lengthToReasoning(): number {
    this.#addReasoning()
    const next = this.#waiting.at(-1)
    return next?.calls === 0 ? next.characters - this.#characters : Number.POSITIVE_INFINITY
  }

  #addReasoning(): void {
    for (let next = this.#waiting.at(-1); next; next = this.#waiting.at(-1)) {
      if (next.characters > this.#characters || next.calls > this.#calls) return
      this.blocks.push({ kind: "reasoning", fields: next.detail })
      this.#waiting.pop()
    }
  }
}

/**
 * The blocks of an assistant's message of the canonical form, in the order in which the model wrote
 * them: `ReasoningDetail` says where reasoning belongs, and calls follow the text.
 */
export const listMessageBlocks = ({
  content,
  reasoning_details,
  tool_calls,
}: Fields): MessageBlock[] => {
  const sequence = new BlockSequence(objectsIn(reasoning_details))
  for (const part of partsOf(content)) sequence.addPart(part)
  for (const call of objectsIn(tool_calls)) sequence.addCall(call)
  sequence.end()
  return sequence.blocks
}
