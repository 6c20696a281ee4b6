import {
  type ChatMessage,
  type GeneratedOutput,
  generateOutput,
  idOf,
  type Pace,
  paceOf,
} from "./fake-model.ts"
import { type Json, type JsonObject, numberOf, textOf } from "./json.ts"
import { usageOf as chatUsageOf, messagesOf } from "./openai-chat.ts"
import { missingParameterError } from "./openai-errors.ts"
import {
  eventStreamResponse,
  type FakeResponse,
  formatSseEvent,
  jsonResponse,
} from "./responses.ts"

const CREATED = 1_750_000_000

/** POST /v1/responses: text only. */
export const createResponse = (body: JsonObject, pace: Pace): FakeResponse => {
  const input = body.input
  if (input === undefined) return missingParameterError("input")
  const { chunks, delayMs } = paceOf(body.metadata, pace)
  const limit = numberOf(body.max_output_tokens)
  const output = generateOutput({
    messages: inputMessages(input),
    tools: [],
    format: "text",
    isThinking: false,
    maxPieces: limit,
    chunks,
  })
  if (body.stream === true) return eventStreamResponse(frames(body, output), delayMs)
  return {
    ...jsonResponse(200, finalResponse(body, output)),
    startDelayMs: delayMs * output.content.length,
  }
}

const inputMessages = (input: Json): ChatMessage[] =>
  typeof input === "string"
    ? [{ role: "user", text: input, images: 0 }]
    : messagesOf(input).map((turn) => ({ ...turn, role: turn.role || "user" }))

const initialResponse = (body: JsonObject): JsonObject => ({
  id: idOf("resp_", JSON.stringify(body)),
  object: "response",
  created_at: CREATED,
  status: "in_progress",
  background: false,
  error: null,
  incomplete_details: null,
  instructions: body.instructions ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  model: textOf(body.model),
  output: [],
  parallel_tool_calls: true,
  previous_response_id: body.previous_response_id ?? null,
  reasoning: { effort: null, summary: null },
  store: body.store ?? true,
  temperature: body.temperature ?? 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: "disabled",
  usage: null,
  user: null,
  metadata: body.metadata ?? {},
})

const finalResponse = (body: JsonObject, output: GeneratedOutput): JsonObject => {
  const item = itemOf(body, "completed", [partOf(output.content.join(""))])
  const length = output.finish === "length"
  return {
    ...initialResponse(body),
    status: length ? "incomplete" : "completed",
    incomplete_details: length ? { reason: "max_output_tokens" } : null,
    output: [item],
    usage: usageOf(output),
  }
}

const usageOf = (output: GeneratedOutput): JsonObject => {
  const usage = chatUsageOf([output])
  return {
    input_tokens: usage.prompt_tokens ?? 0,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.completion_tokens ?? 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.total_tokens ?? 0,
  }
}

const partOf = (text: string): JsonObject => ({
  type: "output_text",
  annotations: [],
  logprobs: [],
  text,
})

const itemOf = (body: JsonObject, status: string, content: Json[]): JsonObject => ({
  id: idOf("msg_", JSON.stringify(body)),
  type: "message",
  status,
  content,
  role: "assistant",
})

function* frames(body: JsonObject, output: GeneratedOutput) {
  const text = output.content.join("")
  const item = itemOf(body, "completed", [partOf(text)])
  const at = { item_id: item.id ?? "", output_index: 0, content_index: 0 }
  const end = finalResponse(body, output)
  let sequence = 0
  const event = (type: string, fields: JsonObject): string => {
    const frame = formatSseEvent({ type, sequence_number: sequence, ...fields }, type)
    sequence += 1
    return frame
  }
  yield event("response.created", { response: initialResponse(body) })
  yield event("response.in_progress", { response: initialResponse(body) })
  yield event("response.output_item.added", {
    output_index: 0,
    item: itemOf(body, "in_progress", []),
  })
  yield event("response.content_part.added", { ...at, part: partOf("") })
  for (const delta of output.content) {
    yield event("response.output_text.delta", { ...at, delta, logprobs: [] })
  }
  yield event("response.output_text.done", { ...at, text, logprobs: [] })
  yield event("response.content_part.done", { ...at, part: partOf(text) })
  yield event("response.output_item.done", { output_index: 0, item })
  yield event(`response.${textOf(end.status)}`, { response: end })
}
