import { type JsonObject, listOf, objectOf, textOf } from "../../fakes/json.ts"
import {
  eventStreamResponse,
  type FakeResponse,
  formatSseEvent,
  jsonResponse,
} from "../../fakes/responses.ts"
import { partsOf, textsOf, userPartsOf } from "./content-parts.ts"
import {
  generateScriptedAnswer,
  reasoningText,
  type ScriptedAnswer,
  type ScriptedPrompt,
  splitIntoWords,
} from "./scripted-model.ts"

/** The API rejects reasoning whose signature is not its own. */
const signature = "c2NyaXB0ZWQ="

const mediaTypesOf = (blocks: readonly JsonObject[]): string[] =>
  blocks
    .filter(({ type }) => type === "image" || type === "document")
    .map(({ source }) => textOf(objectOf(source).media_type))

const isOwnReasoning = (block: JsonObject): boolean =>
  block.type === "thinking" && block.thinking === reasoningText && block.signature === signature

const readMessagesRequest = (body: JsonObject): ScriptedPrompt => {
  const messages = listOf(body.messages).map(objectOf)
  const recent = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1)
  const blocks = userPartsOf(recent)
  const results = blocks
    .filter(({ type }) => type === "tool_result")
    .map(({ content }) => partsOf(content))
  return {
    model: textOf(body.model),
    isStreamed: body.stream === true,
    text: textsOf(blocks),
    mediaTypes: mediaTypesOf([...blocks, ...results.flat()]),
    toolResults: results.map(textsOf),
    tools: listOf(body.tools).map((tool) => textOf(objectOf(tool).name)),
    mustCallTool: ["any", "tool"].includes(textOf(objectOf(body.tool_choice).type)),
    hasSchema: objectOf(objectOf(body.output_config).format).type === "json_schema",
    hasReasoning: messages.flatMap(({ content }) => partsOf(content)).some(isOwnReasoning),
  }
}

const usage: JsonObject = {
  input_tokens: 20,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 10,
}

const toBlocks = ({ reasoning, text, call }: ScriptedAnswer): JsonObject[] => [
  ...(reasoning === "" ? [] : [{ type: "thinking", thinking: reasoning, signature }]),
  { type: "text", text },
  ...(call ? [{ type: "tool_use", id: "toolu_scripted", ...call }] : []),
]

const toMessage = (prompt: ScriptedPrompt, answer: ScriptedAnswer): JsonObject => ({
  id: "msg_scripted",
  type: "message",
  role: "assistant",
  model: prompt.model,
  content: toBlocks(answer),
  stop_reason: answer.call ? "tool_use" : "end_turn",
  stop_sequence: null,
  usage,
})

/** The block as it starts, and the deltas that complete it. */
const toDeltas = (block: JsonObject): [JsonObject, JsonObject[]] => {
  if (block.type === "thinking") {
    const pieces = splitIntoWords(textOf(block.thinking))
    const deltas = pieces.map((thinking) => ({ type: "thinking_delta", thinking }))
    return [
      { ...block, thinking: "", signature: "" },
      [...deltas, { type: "signature_delta", signature }],
    ]
  }
  if (block.type === "text") {
    const pieces = splitIntoWords(textOf(block.text))
    return [{ ...block, text: "" }, pieces.map((text) => ({ type: "text_delta", text }))]
  }
  const pieces = ["", ...splitIntoWords(JSON.stringify(block.input))]
  const deltas = pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }))
  return [{ ...block, input: {} }, deltas]
}

const toBlockEvents = (block: JsonObject, index: number): JsonObject[] => {
  const [content_block, deltas] = toDeltas(block)
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]
}

const createEvents = (prompt: ScriptedPrompt, answer: ScriptedAnswer): JsonObject[] => {
  const message = toMessage(prompt, answer)
  const { stop_reason = null } = message
  return [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "ping" },
    ...toBlocks(answer).flatMap(toBlockEvents),
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 10 },
    },
    { type: "message_stop" },
  ]
}

/** POST /v1/messages */
export const answerMessagesRequest = (body: JsonObject): FakeResponse => {
  const prompt = readMessagesRequest(body)
  const answer = generateScriptedAnswer(prompt)
  if (!prompt.isStreamed) return jsonResponse(200, toMessage(prompt, answer))
  const frames = createEvents(prompt, answer).map((event) =>
    formatSseEvent(event, textOf(event.type)),
  )
  return eventStreamResponse(frames, 0)
}
