import type { ReasoningDetail } from "../canonical-request.ts"
import { type Fields, textOf } from "../json-values.ts"

const toReasoningDetail = ({ type, ...block }: Fields): ReasoningDetail | null => {
  if (type === "redacted_thinking") {
    return { type: "reasoning.encrypted", data: textOf(block.data) }
  }
  const signature = textOf(block.signature)
  if (type !== "thinking" || signature === "") return null
  return { type: "reasoning.text", text: textOf(block.thinking), signature }
}

/** The reasoning in an assistant's message that Anthropic's API recognizes, and its position. */
export const decodeThinking = (blocks: readonly Fields[]): ReasoningDetail[] => {
  const details: ReasoningDetail[] = []
  let characters = 0
  let tool_calls = 0
  for (const block of blocks) {
    const detail = toReasoningDetail(block)
    const isFirst = characters === 0 && tool_calls === 0
    if (detail)
      details.push({ ...detail, ...(!isFirst && { preceding: { characters, tool_calls } }) })
    else if (block.type === "tool_use") tool_calls++
    else characters += textOf(block.text).length
  }
  return details
}
