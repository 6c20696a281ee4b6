import { type Answer, eventStream, goJson, goReply, SSE_DONE, type Whole } from "./answers.ts"
import { type Json, type JsonObject, listOf, objectOf, parseJson, textOf } from "./json.ts"
import { hold, refusalOf, toolsOf } from "./ollama-chat.ts"
import { findModel, fullName, type OllamaModel, type Runtime } from "./ollama-models.ts"
import { askOf } from "./openai-chat.ts"
import { idOf, paceOf, type Said, say } from "./pretend.ts"
import { base64Of, vectorOf } from "./vectors.ts"

const CREATED = 1_750_000_000
const TYPES: { [status: number]: string } = { 400: "invalid_request_error", 404: "not_found_error" }

type Post = (body: JsonObject, runtime: Runtime, model: OllamaModel) => Answer

/** Converts Ollama's own error to the OpenAI format that it uses under /v1. */
export const wrapped = (refusal: Whole): Whole => {
  const message = textOf(objectOf(parseJson(refusal.body)).error)
  const type = TYPES[refusal.status] ?? "api_error"
  return goReply(refusal.status, { error: { message, type, param: null, code: null } })
}

/** GET /v1/models */
export const models = ({ models: held }: Runtime): Answer =>
  goReply(200, { object: "list", data: held.map(recordOf) })

/** GET /v1/models/{model} */
export const model = (name: string, { models: held }: Runtime): Answer => {
  const found = findModel(held, name)
  if (found !== undefined) return goReply(200, { ...recordOf(found), id: name })
  return wrapped(goReply(404, { error: `model '${name}' not found` }))
}

/** POST /v1/chat/completions */
export const chatCompletion: Post = (body, runtime, held) => {
  const refusal = refusalOf(body, held, "chat")
  if (refusal !== undefined) return "body" in refusal ? wrapped(refusal) : refusal
  if (listOf(body.messages).length === 0) {
    return wrapped(goReply(400, { error: "[] is too short - 'messages'" }))
  }
  hold(runtime, held)
  const { chunks, delayMs } = paceOf(body.metadata, runtime.pace)
  const thinks = held.capabilities.includes("thinking")
  const said = say({ ...askOf(body, chunks), tools: toolsOf(body).slice(0, 1), thinks })
  const head = headOf(body, "chat.completion")
  if (body.stream === true) return eventStream(chatFrames(body, said), delayMs)
  const choices = [{ index: 0, message: messageOf(said), finish_reason: said.finish }]
  return {
    ...goReply(200, { ...head, choices, usage: usageOf(said) }),
    afterMs: delayMs * said.content.length,
  }
}

/** POST /v1/completions */
export const completion: Post = (body, runtime, held) => {
  hold(runtime, held)
  const { chunks, delayMs } = paceOf(body.metadata, runtime.pace)
  const turns = [{ role: "user", text: textOf(body.prompt), images: 0 }]
  const said = say({ ...askOf(body, chunks), turns, tools: [], thinks: false })
  const head = { ...headOf(body, "text_completion"), id: idOf("cmpl-", JSON.stringify(body)) }
  if (body.stream === true) return eventStream(completionFrames(body, head, said), delayMs)
  const choices = [{ text: said.content.join(""), index: 0, finish_reason: said.finish }]
  return {
    ...goReply(200, { ...head, choices, usage: usageOf(said) }),
    afterMs: delayMs * said.content.length,
  }
}

/** POST /v1/embeddings */
export const embeddings: Post = (body, runtime, held) => {
  const input = body.input
  const texts = typeof input === "string" ? [input] : listOf(input)
  if (texts.length === 0 || texts.some((text) => typeof text !== "string")) {
    return wrapped(goReply(400, { error: "invalid input" }))
  }
  hold(runtime, held)
  const data = texts.map((text, index): Json => {
    const vector = vectorOf(textOf(text), runtime.dimensions)
    const embedding = body.encoding_format === "base64" ? base64Of(vector) : vector
    return { object: "embedding", embedding, index }
  })
  const tokens = texts.join(" ").split(/\s+/).length
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  return goReply(200, { object: "list", data, model: textOf(body.model), usage })
}

const recordOf = ({ name }: OllamaModel): JsonObject => ({
  id: name,
  object: "model",
  created: CREATED,
  owned_by: fullName(name).split("/").at(-2) ?? "library",
})

const headOf = (body: JsonObject, object: string): JsonObject => ({
  id: idOf("chatcmpl-", JSON.stringify(body)),
  object,
  created: CREATED,
  model: textOf(body.model),
  system_fingerprint: "fp_ollama",
})

const usageOf = (said: Said): JsonObject => ({
  prompt_tokens: said.promptTokens,
  completion_tokens: said.outputTokens,
  total_tokens: said.promptTokens + said.outputTokens,
})

const callsOf = (said: Said): JsonObject =>
  said.calls.length === 0
    ? {}
    : {
        tool_calls: said.calls.map(({ id, name, parameters }, index) => ({
          id: id.slice(0, 13),
          index,
          type: "function",
          function: { name, arguments: goJson(parameters) },
        })),
      }

const messageOf = (said: Said): JsonObject => ({
  role: "assistant",
  content: said.content.join(""),
  ...(said.thinking.length > 0 ? { reasoning: said.thinking.join("") } : {}),
  ...callsOf(said),
})

const frame = (data: JsonObject): string => `data: ${goJson(data)}\n\n`

/**
 * The first frame contains the role; tool calls are sent in one piece; the finish reason has its own
 * frame; usage comes last.
 */
function* chatFrames(body: JsonObject, said: Said) {
  const head = headOf(body, "chat.completion.chunk")
  const deltas: JsonObject[] = [
    ...said.thinking.map((piece) => ({ content: "", reasoning: piece })),
    ...said.content.map((piece) => ({ content: piece })),
    ...(said.calls.length > 0 ? [{ content: "", ...callsOf(said) }] : []),
  ]
  for (const [at, delta] of deltas.entries()) {
    const role: JsonObject = at === 0 ? { role: "assistant" } : {}
    yield frame({
      ...head,
      choices: [{ index: 0, delta: { ...role, ...delta }, finish_reason: null }],
    })
  }
  yield frame({ ...head, choices: [{ index: 0, delta: {}, finish_reason: said.finish }] })
  if (asksUsage(body)) yield frame({ ...head, choices: [], usage: usageOf(said) })
  yield SSE_DONE
}

/** Unlike chat, every frame contains a usage of zeros if usage was requested. */
function* completionFrames(body: JsonObject, head: JsonObject, said: Said) {
  const zeros = { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }
  const tail: JsonObject = asksUsage(body) ? zeros : {}
  for (const text of said.content) {
    yield frame({ ...head, choices: [{ text, index: 0, finish_reason: null }], ...tail })
  }
  yield frame({ ...head, choices: [{ text: "", index: 0, finish_reason: said.finish }], ...tail })
  if (asksUsage(body)) yield frame({ ...head, choices: [], usage: usageOf(said) })
  yield SSE_DONE
}

const asksUsage = (body: JsonObject): boolean =>
  objectOf(body.stream_options).include_usage === true
