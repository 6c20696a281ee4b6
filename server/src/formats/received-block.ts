import type { AnswerBlock } from "./canonical-answer.ts"
import type { Fields } from "./json-values.ts"
import { ToolArguments } from "./tool-arguments.ts"

/** A block of a streamed answer, as far as it has arrived. */
export interface ReceivedBlock {
  block: AnswerBlock
  /** What arrived before the block could be opened. */
  text: string
  signature: string
  annotations: Fields[]
  /** How much of the answer's text precedes the block. */
  start: number
  args: ToolArguments
  /** Whether later reasoning belongs to another block. */
  isSigned: boolean
  isClosed: boolean
}

export const receiveBlock = (block: AnswerBlock, start: number): ReceivedBlock => ({
  block,
  text: "",
  signature: "",
  annotations: [],
  start,
  args: new ToolArguments(),
  isSigned: false,
  isClosed: false,
})
