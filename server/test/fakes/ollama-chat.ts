import { embedText } from "./embeddings.ts"
import {
  type ChatMessage,
  type GeneratedOutput,
  type GenerationRequest,
  generateOutput,
  paceOf,
  type ToolDefinition,
} from "./fake-model.ts"
import { isObject, type Json, type JsonObject, listOf, numberOf, objectOf, textOf } from "./json.ts"
import {
  loadModel,
  type OllamaModel,
  type OllamaState,
  ollamaError,
  unloadModel,
} from "./ollama-models.ts"
import { type FakeResponse, goJsonResponse, ndjsonResponse } from "./responses.ts"

export type ModelHandler = (
  body: JsonObject,
  runtime: OllamaState,
  model: OllamaModel,
) => FakeResponse

/** POST /api/generate */
export const generate: ModelHandler = (body, runtime, model) => {
  const prompt = textOf(body.prompt)
  const capabilityError = capabilityErrorOf(body, model, "generate")
  if (capabilityError !== undefined) return capabilityError
  if (body.raw === true && (body.template || body.system || body.context)) {
    return ollamaError(400, "raw mode does not support template, system, or context")
  }
  if (prompt === "") return loadOrUnload(body, runtime, model, { response: "" })
  const messages = [{ role: "user", text: prompt, images: listOf(body.images).length }]
  const pieceOf = (piece: ContentPiece): JsonObject => ({
    response: piece.content ?? "",
    ...(piece.thinking === undefined ? {} : { thinking: piece.thinking }),
  })
  const context: JsonObject = body.raw === true ? {} : { context: [1, 2, 3] }
  return generateResponse({ body, runtime, model, turns: messages, tools: [], pieceOf, context })
}

/** POST /api/chat */
export const chat: ModelHandler = (body, runtime, model) => {
  const capabilityError = capabilityErrorOf(body, model, "chat")
  if (capabilityError !== undefined) return capabilityError
  const messages = messagesOf(body.messages)
  const pieceOf = (piece: ContentPiece): JsonObject => ({ message: messageOf(piece) })
  if (messages.length === 0) return loadOrUnload(body, runtime, model, pieceOf({}))
  return generateResponse({
    body,
    runtime,
    model,
    turns: messages,
    tools: toolsOf(body).slice(0, 1),
    pieceOf,
    context: {},
  })
}

/** POST /api/embed */
export const embed: ModelHandler = (body, runtime, model) => {
  const input = body.input ?? ""
  const texts = typeof input === "string" ? [input].filter((text) => text !== "") : input
  if (!Array.isArray(texts)) return ollamaError(400, "invalid input type")
  if (texts.some((text) => typeof text !== "string")) return ollamaError(400, "invalid input type")
  markLoaded(runtime, model)
  const name = textOf(body.model)
  if (texts.length === 0) return goJsonResponse(200, { model: name, embeddings: [] })
  const dimensions = Math.min(numberOf(body.dimensions) || runtime.dimensions, runtime.dimensions)
  const embeddings = texts.map((text) => embedText(textOf(text), dimensions))
  const times = { total_duration: 14_143_917, load_duration: 1_019_500 }
  const prompt_eval_count = texts.join(" ").split(/\s+/).length
  return goJsonResponse(200, { model: name, embeddings, ...times, prompt_eval_count })
}

/** POST /api/embeddings */
export const legacyEmbeddings: ModelHandler = (body, runtime, model) => {
  markLoaded(runtime, model)
  const prompt = textOf(body.prompt)
  return goJsonResponse(200, {
    embedding: prompt === "" ? [] : embedText(prompt, runtime.dimensions),
  })
}

/** Lists the model as loaded, unless `autoLoad` is off. */
export const markLoaded = (runtime: OllamaState, model: OllamaModel) => {
  if (runtime.autoLoad) loadModel(runtime, model)
}

/** Ollama's own error for a capability that the model lacks; undefined if it has all of them. */
export const capabilityErrorOf = (
  body: JsonObject,
  model: OllamaModel,
  action: string,
): FakeResponse | undefined => {
  const name = textOf(body.model)
  const can = (capability: string) => model.capabilities.includes(capability)
  if (body.think && !can("thinking")) return ollamaError(400, `"${name}" does not support thinking`)
  if (!can("completion")) return ollamaError(400, `"${name}" does not support ${action}`)
  if (listOf(body.tools).length > 0 && !can("tools")) {
    return ollamaError(400, `registry.ollama.ai/library/${model.name} does not support tools`)
  }
  return undefined
}

export const toolsOf = (body: JsonObject): ToolDefinition[] =>
  listOf(body.tools).map((tool) => {
    const { name, parameters } = objectOf(objectOf(tool).function)
    return { name: textOf(name), parameters }
  })

type ContentPiece = { thinking?: string; content?: string; calls?: Json[] }
type GenerationInput = {
  body: JsonObject
  runtime: OllamaState
  model: OllamaModel
  turns: ChatMessage[]
  tools: ToolDefinition[]
  pieceOf: (piece: ContentPiece) => JsonObject
  context: JsonObject
}

const generateResponse = ({
  body,
  runtime,
  model,
  turns,
  tools,
  pieceOf,
  context,
}: GenerationInput): FakeResponse => {
  markLoaded(runtime, model)
  const { chunks, delayMs } = paceOf(body.options, runtime.pace)
  const output = generateOutput({
    messages: turns,
    tools,
    format: formatOf(body.format),
    isThinking: model.capabilities.includes("thinking") && body.think !== false,
    maxPieces: numberOf(objectOf(body.options).num_predict),
    chunks,
  })
  const name = textOf(body.model)
  const end = {
    done: true,
    done_reason: output.finish === "length" ? "length" : "stop",
    ...context,
  }
  if (body.stream === false) {
    const whole = {
      ...recordHead(name, 0),
      ...pieceOf(fullPieceOf(output)),
      ...end,
      ...metrics(output),
    }
    return { ...goJsonResponse(200, whole), startDelayMs: delayMs * output.content.length }
  }
  const pieces = piecesOf(output)
  const lines = pieces.map(
    (piece, at): Json => ({ ...recordHead(name, at), ...pieceOf(piece), done: false }),
  )
  const last = { ...recordHead(name, pieces.length), ...pieceOf({}), ...end, ...metrics(output) }
  return ndjsonResponse([...lines, last], delayMs)
}

const recordHead = (model: string, step: number): JsonObject => ({
  model,
  created_at: `2025-06-15T12:00:00.${String(step % 1000).padStart(3, "0")}000001Z`,
})

const metrics = (output: GeneratedOutput): JsonObject => ({
  total_duration: 1_000_000_000 + output.outputTokens * 20_000_000,
  load_duration: 63_000_000,
  prompt_eval_count: output.promptTokens,
  prompt_eval_duration: output.promptTokens * 1_000_000,
  eval_count: output.outputTokens,
  eval_duration: output.outputTokens * 20_000_000,
})

const callsOf = (output: GeneratedOutput): Json[] =>
  output.calls.map(({ id, name, parameters }, index) => ({
    id: id.slice(0, 13),
    function: { index, name, arguments: parameters },
  }))

const piecesOf = (output: GeneratedOutput): ContentPiece[] => [
  ...output.thinking.map((thinking) => ({ thinking })),
  ...output.content.map((content) => ({ content })),
  ...(output.calls.length > 0 ? [{ calls: callsOf(output) }] : []),
]

const fullPieceOf = (output: GeneratedOutput): ContentPiece => ({
  content: output.content.join(""),
  ...(output.thinking.length > 0 ? { thinking: output.thinking.join("") } : {}),
  ...(output.calls.length > 0 ? { calls: callsOf(output) } : {}),
})

const messageOf = ({ thinking, content, calls }: ContentPiece): JsonObject => ({
  role: "assistant",
  content: content ?? "",
  ...(thinking === undefined ? {} : { thinking }),
  ...(calls === undefined ? {} : { tool_calls: calls }),
})

const messagesOf = (messages: Json | undefined): ChatMessage[] =>
  listOf(messages).map((message) => {
    const { role, content, images } = objectOf(message)
    return {
      role: textOf(role).toLowerCase(),
      text: textOf(content),
      images: listOf(images).length,
    }
  })

const formatOf = (format: Json | undefined): GenerationRequest["format"] => {
  if (format === "json") return "json"
  return isObject(format) ? format : "text"
}

/** An empty request loads the model, or unloads it with `keep_alive: 0`. */
const loadOrUnload = (
  body: JsonObject,
  runtime: OllamaState,
  model: OllamaModel,
  empty: JsonObject,
): FakeResponse => {
  const isUnload = body.keep_alive === 0 || body.keep_alive === "0"
  if (isUnload) unloadModel(runtime, model)
  else markLoaded(runtime, model)
  const done_reason = isUnload ? "unload" : "load"
  return goJsonResponse(200, {
    ...recordHead(textOf(body.model), 0),
    ...empty,
    done: true,
    done_reason,
  })
}
