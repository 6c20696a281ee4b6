import { embedText, encodeBase64 } from "./embeddings.ts"
import { type GeneratedOutput, generateOutput, idOf, paceOf } from "./fake-model.ts"
import { type Json, type JsonObject, listOf, objectOf, parseJson, textOf } from "./json.ts"
import { capabilityErrorOf, markLoaded, toolsOf } from "./ollama-chat.ts"
import { findModel, fullName, type OllamaModel, type OllamaState } from "./ollama-models.ts"
import { generationRequestOf } from "./openai-chat.ts"
import {
  encodeGoJson,
  eventStreamResponse,
  type FakeResponse,
  type FullResponse,
  goJsonResponse,
  SSE_DONE,
} from "./responses.ts"

const CREATED = 1_750_000_000
const TYPES: { [status: number]: string } = { 400: "invalid_request_error", 404: "not_found_error" }

type ModelHandler = (body: JsonObject, runtime: OllamaState, getModel: OllamaModel) => FakeResponse

/** Converts Ollama's own error to the OpenAI format that it uses under /v1. */
export const toOpenAIError = (error: FullResponse): FullResponse => {
  const message = textOf(objectOf(parseJson(error.body)).error)
  const type = TYPES[error.status] ?? "api_error"
  return goJsonResponse(error.status, { error: { message, type, param: null, code: null } })
}

/** GET /v1/models */
export const listModels = ({ models }: OllamaState): FakeResponse =>
  goJsonResponse(200, { object: "list", data: models.map(modelRecordOf) })

/** GET /v1/models/{model} */
export const getModel = (name: string, { models }: OllamaState): FakeResponse => {
  const found = findModel(models, name)
  if (found !== undefined) return goJsonResponse(200, { ...modelRecordOf(found), id: name })
  return toOpenAIError(goJsonResponse(404, { error: `model '${name}' not found` }))
}

/** POST /v1/chat/completions */
export const chatCompletion: ModelHandler = (body, runtime, model) => {
  const capabilityError = capabilityErrorOf(body, model, "chat")
  if (capabilityError !== undefined)
    return "body" in capabilityError ? toOpenAIError(capabilityError) : capabilityError
  if (listOf(body.messages).length === 0) {
    return toOpenAIError(goJsonResponse(400, { error: "[] is too short - 'messages'" }))
  }
  markLoaded(runtime, model)
  const { chunks, delayMs } = paceOf(body.metadata, runtime.pace)
  const isThinking = model.capabilities.includes("thinking")
  const output = generateOutput({
    ...generationRequestOf(body, chunks),
    tools: toolsOf(body).slice(0, 1),
    isThinking,
  })
  const head = headOf(body, "chat.completion")
  if (body.stream === true) return eventStreamResponse(chatFrames(body, output), delayMs)
  const choices = [{ index: 0, message: messageOf(output), finish_reason: output.finish }]
  return {
    ...goJsonResponse(200, { ...head, choices, usage: usageOf(output) }),
    startDelayMs: delayMs * output.content.length,
  }
}

/** POST /v1/completions */
export const completion: ModelHandler = (body, runtime, model) => {
  markLoaded(runtime, model)
  const { chunks, delayMs } = paceOf(body.metadata, runtime.pace)
  const messages = [{ role: "user", text: textOf(body.prompt), images: 0 }]
  const output = generateOutput({
    ...generationRequestOf(body, chunks),
    messages,
    tools: [],
    isThinking: false,
  })
  const head = { ...headOf(body, "text_completion"), id: idOf("cmpl-", JSON.stringify(body)) }
  if (body.stream === true)
    return eventStreamResponse(completionFrames(body, head, output), delayMs)
  const choices = [{ text: output.content.join(""), index: 0, finish_reason: output.finish }]
  return {
    ...goJsonResponse(200, { ...head, choices, usage: usageOf(output) }),
    startDelayMs: delayMs * output.content.length,
  }
}

/** POST /v1/embeddings */
export const embeddings: ModelHandler = (body, runtime, model) => {
  const input = body.input
  const texts = typeof input === "string" ? [input] : listOf(input)
  if (texts.length === 0 || texts.some((text) => typeof text !== "string")) {
    return toOpenAIError(goJsonResponse(400, { error: "invalid input" }))
  }
  markLoaded(runtime, model)
  const data = texts.map((text, index): Json => {
    const vector = embedText(textOf(text), runtime.dimensions)
    const embedding = body.encoding_format === "base64" ? encodeBase64(vector) : vector
    return { object: "embedding", embedding, index }
  })
  const tokens = texts.join(" ").split(/\s+/).length
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  return goJsonResponse(200, { object: "list", data, model: textOf(body.model), usage })
}

const modelRecordOf = ({ name }: OllamaModel): JsonObject => ({
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

const usageOf = (output: GeneratedOutput): JsonObject => ({
  prompt_tokens: output.promptTokens,
  completion_tokens: output.outputTokens,
  total_tokens: output.promptTokens + output.outputTokens,
})

const callsOf = (output: GeneratedOutput): JsonObject =>
  output.calls.length === 0
    ? {}
    : {
        tool_calls: output.calls.map(({ id, name, parameters }, index) => ({
          id: id.slice(0, 13),
          index,
          type: "function",
          function: { name, arguments: encodeGoJson(parameters) },
        })),
      }

const messageOf = (output: GeneratedOutput): JsonObject => ({
  role: "assistant",
  content: output.content.join(""),
  ...(output.thinking.length > 0 ? { reasoning: output.thinking.join("") } : {}),
  ...callsOf(output),
})

const frame = (data: JsonObject): string => `data: ${encodeGoJson(data)}\n\n`

/**
 * The first frame contains the role; tool calls are sent in one piece; the finish reason has its own
 * frame; usage comes last.
 */
function* chatFrames(body: JsonObject, output: GeneratedOutput) {
  const head = headOf(body, "chat.completion.chunk")
  const deltas: JsonObject[] = [
    ...output.thinking.map((piece) => ({ content: "", reasoning: piece })),
    ...output.content.map((piece) => ({ content: piece })),
    ...(output.calls.length > 0 ? [{ content: "", ...callsOf(output) }] : []),
  ]
  for (const [at, delta] of deltas.entries()) {
    const role: JsonObject = at === 0 ? { role: "assistant" } : {}
    yield frame({
      ...head,
      choices: [{ index: 0, delta: { ...role, ...delta }, finish_reason: null }],
    })
  }
  yield frame({ ...head, choices: [{ index: 0, delta: {}, finish_reason: output.finish }] })
  if (wantsUsage(body)) yield frame({ ...head, choices: [], usage: usageOf(output) })
  yield SSE_DONE
}

/** Unlike chat, every frame contains a usage of zeros if usage was requested. */
function* completionFrames(body: JsonObject, head: JsonObject, output: GeneratedOutput) {
  const zeros = { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }
  const tail: JsonObject = wantsUsage(body) ? zeros : {}
  for (const text of output.content) {
    yield frame({ ...head, choices: [{ text, index: 0, finish_reason: null }], ...tail })
  }
  yield frame({ ...head, choices: [{ text: "", index: 0, finish_reason: output.finish }], ...tail })
  if (wantsUsage(body)) yield frame({ ...head, choices: [], usage: usageOf(output) })
  yield SSE_DONE
}

const wantsUsage = (body: JsonObject): boolean =>
  objectOf(body.stream_options).include_usage === true
