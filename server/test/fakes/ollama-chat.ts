import { type Answer, goReply, ndjson } from "./answers.ts"
import { isObject, type Json, type JsonObject, listOf, numberOf, objectOf, textOf } from "./json.ts"
import { fail, load, type OllamaModel, type Runtime, unload } from "./ollama-models.ts"
import { type Ask, paceOf, type Said, say, type Tool, type Turn } from "./pretend.ts"
import { vectorOf } from "./vectors.ts"

export type Post = (body: JsonObject, runtime: Runtime, model: OllamaModel) => Answer

/** POST /api/generate */
export const generate: Post = (body, runtime, model) => {
  const prompt = textOf(body.prompt)
  const refusal = refusalOf(body, model, "generate")
  if (refusal !== undefined) return refusal
  if (body.raw === true && (body.template || body.system || body.context)) {
    return fail(400, "raw mode does not support template, system, or context")
  }
  if (prompt === "") return keepOrUnload(body, runtime, model, { response: "" })
  const turns = [{ role: "user", text: prompt, images: listOf(body.images).length }]
  const pieceOf = (piece: Piece): JsonObject => ({
    response: piece.content ?? "",
    ...(piece.thinking === undefined ? {} : { thinking: piece.thinking }),
  })
  const context: JsonObject = body.raw === true ? {} : { context: [1, 2, 3] }
  return written({ body, runtime, model, turns, tools: [], pieceOf, context })
}

/** POST /api/chat */
export const chat: Post = (body, runtime, model) => {
  const refusal = refusalOf(body, model, "chat")
  if (refusal !== undefined) return refusal
  const turns = turnsOf(body.messages)
  const pieceOf = (piece: Piece): JsonObject => ({ message: messageOf(piece) })
  if (turns.length === 0) return keepOrUnload(body, runtime, model, pieceOf({}))
  return written({
    body,
    runtime,
    model,
    turns,
    tools: toolsOf(body).slice(0, 1),
    pieceOf,
    context: {},
  })
}

/** POST /api/embed */
export const embed: Post = (body, runtime, model) => {
  const input = body.input ?? ""
  const texts = typeof input === "string" ? [input].filter((text) => text !== "") : input
  if (!Array.isArray(texts)) return fail(400, "invalid input type")
  if (texts.some((text) => typeof text !== "string")) return fail(400, "invalid input type")
  hold(runtime, model)
  const name = textOf(body.model)
  if (texts.length === 0) return goReply(200, { model: name, embeddings: [] })
  const dimensions = Math.min(numberOf(body.dimensions) || runtime.dimensions, runtime.dimensions)
  const embeddings = texts.map((text) => vectorOf(textOf(text), dimensions))
  const times = { total_duration: 14_143_917, load_duration: 1_019_500 }
  const prompt_eval_count = texts.join(" ").split(/\s+/).length
  return goReply(200, { model: name, embeddings, ...times, prompt_eval_count })
}

/** POST /api/embeddings */
export const oldEmbeddings: Post = (body, runtime, model) => {
  hold(runtime, model)
  const prompt = textOf(body.prompt)
  return goReply(200, { embedding: prompt === "" ? [] : vectorOf(prompt, runtime.dimensions) })
}

/** Lists the model as loaded, unless `autoLoad` is off. */
export const hold = (runtime: Runtime, model: OllamaModel) => {
  if (runtime.autoLoad) load(runtime, model)
}

/** Ollama's own error for a capability that the model lacks; undefined if it has all of them. */
export const refusalOf = (
  body: JsonObject,
  model: OllamaModel,
  verb: string,
): Answer | undefined => {
  const name = textOf(body.model)
  const can = (capability: string) => model.capabilities.includes(capability)
  if (body.think && !can("thinking")) return fail(400, `"${name}" does not support thinking`)
  if (!can("completion")) return fail(400, `"${name}" does not support ${verb}`)
  if (listOf(body.tools).length > 0 && !can("tools")) {
    return fail(400, `registry.ollama.ai/library/${model.name} does not support tools`)
  }
  return undefined
}

export const toolsOf = (body: JsonObject): Tool[] =>
  listOf(body.tools).map((tool) => {
    const { name, parameters } = objectOf(objectOf(tool).function)
    return { name: textOf(name), parameters }
  })

type Piece = { thinking?: string; content?: string; calls?: Json[] }
type Writing = {
  body: JsonObject
  runtime: Runtime
  model: OllamaModel
  turns: Turn[]
  tools: Tool[]
  pieceOf: (piece: Piece) => JsonObject
  context: JsonObject
}

const written = ({ body, runtime, model, turns, tools, pieceOf, context }: Writing): Answer => {
  hold(runtime, model)
  const { chunks, delayMs } = paceOf(body.options, runtime.pace)
  const said = say({
    turns,
    tools,
    format: formatOf(body.format),
    thinks: model.capabilities.includes("thinking") && body.think !== false,
    limit: numberOf(objectOf(body.options).num_predict),
    chunks,
  })
  const name = textOf(body.model)
  const end = { done: true, done_reason: said.finish === "length" ? "length" : "stop", ...context }
  if (body.stream === false) {
    const whole = { ...head(name, 0), ...pieceOf(wholeOf(said)), ...end, ...metrics(said) }
    return { ...goReply(200, whole), afterMs: delayMs * said.content.length }
  }
  const pieces = piecesOf(said)
  const lines = pieces.map(
    (piece, at): Json => ({ ...head(name, at), ...pieceOf(piece), done: false }),
  )
  const last = { ...head(name, pieces.length), ...pieceOf({}), ...end, ...metrics(said) }
  return ndjson([...lines, last], delayMs)
}

const head = (model: string, step: number): JsonObject => ({
  model,
  created_at: `2025-06-15T12:00:00.${String(step % 1000).padStart(3, "0")}000001Z`,
})

const metrics = (said: Said): JsonObject => ({
  total_duration: 1_000_000_000 + said.outputTokens * 20_000_000,
  load_duration: 63_000_000,
  prompt_eval_count: said.promptTokens,
  prompt_eval_duration: said.promptTokens * 1_000_000,
  eval_count: said.outputTokens,
  eval_duration: said.outputTokens * 20_000_000,
})

const callsOf = (said: Said): Json[] =>
  said.calls.map(({ id, name, parameters }, index) => ({
    id: id.slice(0, 13),
    function: { index, name, arguments: parameters },
  }))

const piecesOf = (said: Said): Piece[] => [
  ...said.thinking.map((thinking) => ({ thinking })),
  ...said.content.map((content) => ({ content })),
  ...(said.calls.length > 0 ? [{ calls: callsOf(said) }] : []),
]

const wholeOf = (said: Said): Piece => ({
  content: said.content.join(""),
  ...(said.thinking.length > 0 ? { thinking: said.thinking.join("") } : {}),
  ...(said.calls.length > 0 ? { calls: callsOf(said) } : {}),
})

const messageOf = ({ thinking, content, calls }: Piece): JsonObject => ({
  role: "assistant",
  content: content ?? "",
  ...(thinking === undefined ? {} : { thinking }),
  ...(calls === undefined ? {} : { tool_calls: calls }),
})

const turnsOf = (messages: Json | undefined): Turn[] =>
  listOf(messages).map((message) => {
    const { role, content, images } = objectOf(message)
    return {
      role: textOf(role).toLowerCase(),
      text: textOf(content),
      images: listOf(images).length,
    }
  })

const formatOf = (format: Json | undefined): Ask["format"] => {
  if (format === "json") return "json"
  return isObject(format) ? format : "text"
}

/** An empty request loads the model, or unloads it with `keep_alive: 0`. */
const keepOrUnload = (
  body: JsonObject,
  runtime: Runtime,
  model: OllamaModel,
  empty: JsonObject,
): Answer => {
  const letGo = body.keep_alive === 0 || body.keep_alive === "0"
  if (letGo) unload(runtime, model)
  else hold(runtime, model)
  const done_reason = letGo ? "unload" : "load"
  return goReply(200, { ...head(textOf(body.model), 0), ...empty, done: true, done_reason })
}
