import type { AnswerError } from "./error-body.ts"
import type { StopCause } from "./finish-reason.ts"
import type { Fields } from "./json-values.ts"

/** What an answer consists of. `redacted`: reasoning that only its provider can read. */
export type AnswerBlock =
  | { kind: "text" }
  | { kind: "refusal" }
  | { kind: "reasoning" }
  | { kind: "redacted"; data: string }
  | { kind: "tool"; id: string; name: string }

/**
 * The canonical events of a streamed answer: `start`, blocks one after the other, and `finish` or
 * `error`. Each block is opened, filled by any number of `append`, `annotate` and `sign`, and closed.
 */
export type AnswerEvent =
  | { type: "start"; id: string; model: string }
  | { type: "open"; block: AnswerBlock }
  /** Text, reasoning, or a piece of a tool's arguments. */
  | { type: "append"; text: string }
  /** A citation of a text, as an annotation of a chat completion; offsets begin at the block. */
  | { type: "annotate"; annotation: Fields }
  /** The signature with which the provider recognizes its reasoning. */
  | { type: "sign"; signature: string }
  | { type: "close" }
  | ({ type: "finish"; usage: Fields | null } & StopCause)
  | { type: "error"; error: AnswerError }

/** A complete block of an answer: its text, reasoning or arguments. */
export interface CompleteBlock {
  block: AnswerBlock
  text: string
  signature: string
  /** Citations of a text, as annotations of a chat completion; offsets begin at the block. */
  annotations?: Fields[]
}

/** A whole answer in canonical form. */
export interface Answer extends StopCause {
  id: string
  model: string
  blocks: CompleteBlock[]
  usage: Fields | null
}

/** The text of an answer, without reasoning and tool calls. */
export const textOfAnswer = ({ blocks }: Answer): string =>
  blocks
    .map(({ block, text }) => (block.kind === "text" || block.kind === "refusal" ? text : ""))
    .join("")

/** The text with which a model refuses to answer; "" if it does not. */
export const refusalOf = ({ blocks }: Answer): string =>
  blocks.map(({ block, text }) => (block.kind === "refusal" ? text : "")).join("")
