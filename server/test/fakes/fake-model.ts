import { createHash } from "node:crypto"
import { isObject, type Json, type JsonObject, listOf, numberOf, objectOf, textOf } from "./json.ts"

/** The length and speed of responses. */
export type Pace = {
  /** Content pieces per response; if undefined, one per word. */
  chunks: number | undefined
  /** Milliseconds between pieces; a response that is not streamed takes their sum. */
  delayMs: number
}
export type ChatMessage = { role: string; text: string; images: number }
export type ToolDefinition = { name: string; parameters: Json | undefined }
export type GenerationRequest = {
  messages: ChatMessage[]
  /** The tools to call if the last message is the user's. */
  tools: ToolDefinition[]
  /** `json` for any object, or a JSON schema that the object must match. */
  format: "text" | "json" | JsonObject
  isThinking: boolean
  /** Maximum number of content pieces; a longer response is truncated and ends with "length". */
  maxPieces: number | undefined
  chunks: number | undefined
}
export type ToolCall = { id: string; name: string; parameters: JsonObject }
export type GeneratedOutput = {
  thinking: string[]
  content: string[]
  calls: ToolCall[]
  finish: "stop" | "length" | "tool_calls"
  promptTokens: number
  thinkingTokens: number
  /** Includes thinking tokens. */
  outputTokens: number
}

/** `fake_chunks` and `fake_delay_ms` in the request's `metadata` or `options` override the pace. */
export const paceOf = (fields: Json | undefined, pace: Pace): Pace => ({
  chunks: numberOf(objectOf(fields).fake_chunks) ?? pace.chunks,
  delayMs: numberOf(objectOf(fields).fake_delay_ms) ?? pace.delayMs,
})

/** Generates the fake model's output: an echo of the last message, tool calls, or JSON. */
export const generateOutput = (request: GenerationRequest): GeneratedOutput => {
  const last = request.messages.at(-1)
  const text = last?.text ?? ""
  const calls = last?.role === "user" ? request.tools.map((tool) => callOf(tool, text)) : []
  const thinking = request.isThinking ? splitIntoPieces(`Thinking about: ${text}`, undefined) : []
  const pieces =
    calls.length > 0
      ? []
      : splitIntoPieces(formatText(echoText(last, request.chunks), request.format), request.chunks)
  const content = pieces.slice(0, request.maxPieces)
  const callTokens = calls.reduce(
    (sum, call) => sum + countWords(JSON.stringify(call.parameters)),
    0,
  )
  return {
    thinking,
    content,
    calls,
    finish: finishOf({ calls: calls.length, cutShort: content.length < pieces.length }),
    promptTokens: request.messages.reduce((sum, turn) => sum + countWords(turn.text) + 3, 0),
    thinkingTokens: thinking.length,
    outputTokens: thinking.length + content.length + callTokens,
  }
}

/** Splits the text, without losing any of it, into words or into at most `count` pieces. */
const splitIntoPieces = (text: string, count: number | undefined): string[] => {
  const pieces: string[] = text.match(/\s*\S+(?:\s+$)?/g) ?? []
  if (count === undefined) return pieces
  return Array.from({ length: count }, (_, group) => {
    const start = Math.floor((group * pieces.length) / count)
    return pieces.slice(start, Math.floor(((group + 1) * pieces.length) / count)).join("")
  }).filter((piece) => piece !== "")
}

/** Stable across runs: equal seeds give equal ids. */
export const idOf = (prefix: string, seed: string): string =>
  `${prefix}${createHash("sha256").update(seed).digest("hex").slice(0, 24)}`

const echoText = (last: ChatMessage | undefined, chunks: number | undefined): string => {
  const images = last?.images ?? 0
  const seen = images === 0 ? "" : `I see ${images} ${images === 1 ? "image" : "images"}. `
  const opening = last?.role === "tool" ? "The tool said:" : "You said:"
  const text = `${seen}${opening} ${last?.text ?? ""}`.trimEnd()
  const missing = Math.max(0, (chunks ?? 0) - countWords(text))
  return text + Array.from({ length: missing }, (_, index) => ` word${index + 1}`).join("")
}

const formatText = (text: string, format: GenerationRequest["format"]): string => {
  if (format === "text") return text
  return JSON.stringify(format === "json" ? { reply: text } : sampleForSchema(format, text))
}

const callOf = ({ name, parameters }: ToolDefinition, text: string): ToolCall => {
  const fitted = objectOf(sampleForSchema(parameters, text))
  return { id: idOf("call_", `${name}${text}`), name, parameters: fitted }
}

const finishOf = ({
  calls,
  cutShort,
}: {
  calls: number
  cutShort: boolean
}): GeneratedOutput["finish"] => {
  if (calls > 0) return "tool_calls"
  return cutShort ? "length" : "stop"
}

const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0

/** A value that matches a simple JSON schema; strings are the text. */
const sampleForSchema = (schema: Json | undefined, text: string): Json => {
  if (!isObject(schema)) return {}
  const first = listOf(schema.enum)[0] ?? schema.const
  if (first !== undefined) return first
  const choice = listOf(schema.anyOf)[0]
  if (choice !== undefined) return sampleForSchema(choice, text)
  const type = textOf(listOf(schema.type)[0] ?? schema.type)
  if (type === "array") return [sampleForSchema(schema.items, text)]
  if (type === "object" || (type === "" && isObject(schema.properties)))
    return sampleObject(schema, text)
  return PRIMITIVE_SAMPLES[type] ?? text
}

const PRIMITIVE_SAMPLES: { [type: string]: Json } = { integer: 1, number: 1.5, boolean: true }

const sampleObject = (schema: JsonObject, text: string): JsonObject =>
  Object.fromEntries(
    Object.entries(objectOf(schema.properties)).map(([key, part]) => [
      key,
      sampleForSchema(part, text),
    ]),
  )
