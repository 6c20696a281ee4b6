import { type Answer, eventStream, json, sse } from "./answers.ts"
import { type Json, type JsonObject, numberOf, textOf } from "./json.ts"
import { usageOf as chatUsageOf, turnsOf } from "./openai-chat.ts"
import { missing } from "./openai-errors.ts"
import { idOf, type Pace, paceOf, type Said, say, type Turn } from "./pretend.ts"

const CREATED = 1_750_000_000

/** POST /v1/responses: text only. */
export const response = (body: JsonObject, pace: Pace): Answer => {
  const input = body.input
  if (input === undefined) return missing("input")
  const { chunks, delayMs } = paceOf(body.metadata, pace)
  const limit = numberOf(body.max_output_tokens)
  const said = say({
    turns: inputTurns(input),
    tools: [],
    format: "text",
    thinks: false,
    limit,
    chunks,
  })
  if (body.stream === true) return eventStream(frames(body, said), delayMs)
  return { ...json(200, finished(body, said)), afterMs: delayMs * said.content.length }
}

const inputTurns = (input: Json): Turn[] =>
  typeof input === "string"
    ? [{ role: "user", text: input, images: 0 }]
    : turnsOf(input).map((turn) => ({ ...turn, role: turn.role || "user" }))

const started = (body: JsonObject): JsonObject => ({
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

const finished = (body: JsonObject, said: Said): JsonObject => {
  const item = itemOf(body, "completed", [partOf(said.content.join(""))])
  const length = said.finish === "length"
  return {
    ...started(body),
    status: length ? "incomplete" : "completed",
    incomplete_details: length ? { reason: "max_output_tokens" } : null,
    output: [item],
    usage: usageOf(said),
  }
}

const usageOf = (said: Said): JsonObject => {
  const usage = chatUsageOf([said])
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

function* frames(body: JsonObject, said: Said) {
  const text = said.content.join("")
  const item = itemOf(body, "completed", [partOf(text)])
  const at = { item_id: item.id ?? "", output_index: 0, content_index: 0 }
  const end = finished(body, said)
  let sequence = 0
  const event = (type: string, fields: JsonObject): string => {
    const frame = sse({ type, sequence_number: sequence, ...fields }, type)
    sequence += 1
    return frame
  }
  yield event("response.created", { response: started(body) })
  yield event("response.in_progress", { response: started(body) })
  yield event("response.output_item.added", {
    output_index: 0,
    item: itemOf(body, "in_progress", []),
  })
  yield event("response.content_part.added", { ...at, part: partOf("") })
  for (const delta of said.content) {
    yield event("response.output_text.delta", { ...at, delta, logprobs: [] })
  }
  yield event("response.output_text.done", { ...at, text, logprobs: [] })
  yield event("response.content_part.done", { ...at, part: partOf(text) })
  yield event("response.output_item.done", { output_index: 0, item })
  yield event(`response.${textOf(end.status)}`, { response: end })
}
