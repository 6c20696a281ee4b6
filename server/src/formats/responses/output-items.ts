import { randomUUID } from "node:crypto"
import type { AnswerBlock } from "../canonical-answer.ts"
import type { Fields } from "../json-values.ts"
import { encodeReasoning } from "./reasoning.ts"
import { type ClientTool, toCustomInput, toSearchArguments } from "./tools.ts"

export const createId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll("-", "")}`

const textPart = (text: string): Fields => ({
  ...{ type: "output_text", annotations: [], logprobs: [], text },
})

/** The part of a message that holds its text. */
export const contentPart = ({ block, text, annotations }: PartState): Fields =>
  block.kind === "refusal" ? { type: "refusal", refusal: text } : { ...textPart(text), annotations }

export const summaryPart = (text: string): Fields => ({ type: "summary_text", text })

/** Whether a block is the content of a message. */
export const isMessage = ({ kind }: AnswerBlock): boolean => kind === "text" || kind === "refusal"

/** What an answer's block becomes: its item, as far as it has arrived. */
export interface ItemState {
  block: AnswerBlock
  id: string
  /** Of a tool call. */
  tool: ClientTool | undefined
  text: string
  signature: string
  /** Citations of a text, in the API's form. */
  annotations: Fields[]
}

type PartState = Pick<ItemState, "block" | "text" | "annotations">

const idPrefixes: Record<AnswerBlock["kind"], string> = {
  text: "msg",
  refusal: "msg",
  reasoning: "rs",
  redacted: "rs",
  tool: "fc",
}

const callPrefixes: Record<ClientTool["kind"], string> = {
  function: "fc",
  custom: "ctc",
  tool_search: "tsc",
}

export const createItemState = (
  block: AnswerBlock,
  toolByName: ReadonlyMap<string, ClientTool>,
): ItemState => {
  const tool = block.kind === "tool" ? toolByName.get(block.name) : undefined
  const prefix = tool ? callPrefixes[tool.kind] : idPrefixes[block.kind]
  return { block, id: createId(prefix), tool, text: "", signature: "", annotations: [] }
}

const toSearchItem = ({ id, text }: ItemState, status: string, call_id: string): Fields => {
  const args = status === "in_progress" ? {} : toSearchArguments(text)
  return { type: "tool_search_call", id, status, call_id, execution: "client", arguments: args }
}

const toCallItem = (state: ItemState, status: string): Fields => {
  const { block, id, tool, text } = state
  const { id: call_id, name } = block.kind === "tool" ? block : { id: "", name: "" }
  if (tool?.kind === "tool_search") return toSearchItem(state, status, call_id)
  const named = {
    call_id,
    name: tool?.name ?? name,
    ...(tool?.namespace !== undefined && { namespace: tool.namespace }),
  }
  if (tool?.kind === "custom") {
    const input = status === "in_progress" ? "" : toCustomInput(text)
    return { type: "custom_tool_call", id, status, ...named, input }
  }
  const isComplete = status !== "in_progress"
  const args = isComplete && text === "" ? "{}" : text
  return { type: "function_call", id, status, ...named, arguments: isComplete ? args : "" }
}

const toReasoningItem = (
  { block, id, text, signature }: ItemState,
  isComplete: boolean,
): Fields => {
  const detail =
    block.kind === "redacted"
      ? { type: "reasoning.encrypted" as const, data: block.data }
      : { type: "reasoning.text" as const, text, signature }
  return {
    ...{ type: "reasoning", id, summary: isComplete && text !== "" ? [summaryPart(text)] : [] },
    encrypted_content: isComplete ? encodeReasoning(detail) : null,
  }
}

/** The item as it is reported when it begins. */
export const toStartedItem = (state: ItemState): Fields => {
  if (state.block.kind === "tool") return toCallItem(state, "in_progress")
  if (!isMessage(state.block)) return toReasoningItem(state, false)
  return { type: "message", id: state.id, status: "in_progress", role: "assistant", content: [] }
}

/** @param status `completed`, or `incomplete` if the answer was cut off within the item */
export const toCompleteItem = (state: ItemState, status: string): Fields => {
  if (state.block.kind === "tool") return toCallItem(state, status)
  if (!isMessage(state.block)) return toReasoningItem(state, true)
  const content = [contentPart(state)]
  return { type: "message", id: state.id, status, role: "assistant", content }
}
