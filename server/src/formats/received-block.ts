import type { AnswerBlock } from "./canonical-answer.ts"
import type { Fields } from "./json-values.ts"
import { ToolArguments } from "./tool-arguments.ts"

/** A block of a streamed answer, as far as it has arrived. */
export class ReceivedBlock {
  readonly block: AnswerBlock
  /** How much of the answer's text precedes the block. */
  readonly start: number
  /** What arrived before the block could be opened. */
  text = ""
  signature = ""
  readonly annotations: Fields[] = []
  readonly args = new ToolArguments()
  /** Whether later reasoning belongs to another block. */
  isSigned = false
  isClosed = false

  constructor(block: AnswerBlock, start: number) {
    this.block = block
    this.start = start
  }
}
