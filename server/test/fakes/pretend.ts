import { createHash } from "node:crypto"
import { isObject, type Json, type JsonObject, listOf, numberOf, objectOf, textOf } from "./json.ts"

/** The length and speed of responses. */
export type Pace = {
  /** Content pieces per response; if undefined, one per word. */
  chunks: number | undefined
  /** Milliseconds between pieces; a response that is not streamed takes their sum. */
  delayMs: number
}
export type Turn = { role: string; text: string; images: number }
export type Tool = { name: string; parameters: Json | undefined }
export type Ask = {
  turns: Turn[]
  /** The tools to call if the last message is the user's. */
  tools: Tool[]
  /** `json` for any object, or a JSON schema that the object must match. */
  format: "text" | "json" | JsonObject
  thinks: boolean
  /** Maximum number of content pieces; a longer response is truncated and ends with "length". */
  limit: number | undefined
  chunks: number | undefined
}
export type Call = { id: string; name: string; parameters: JsonObject }
export type Said = {
  thinking: string[]
  content: string[]
  calls: Call[]
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
export const say = (ask: Ask): Said => {
  const last = ask.turns.at(-1)
  const text = last?.text ?? ""
  const calls = last?.role === "user" ? ask.tools.map((tool) => callOf(tool, text)) : []
  const thinking = ask.thinks ? cut(`Thinking about: ${text}`, undefined) : []
  const whole =
    calls.length > 0 ? [] : cut(formatted(spoken(last, ask.chunks), ask.format), ask.chunks)
  const content = whole.slice(0, ask.limit)
  const callTokens = calls.reduce((sum, call) => sum + words(JSON.stringify(call.parameters)), 0)
  return {
    thinking,
    content,
    calls,
    finish: finishOf({ calls: calls.length, cutShort: content.length < whole.length }),
    promptTokens: ask.turns.reduce((sum, turn) => sum + words(turn.text) + 3, 0),
    thinkingTokens: thinking.length,
    outputTokens: thinking.length + content.length + callTokens,
  }
}

/** Splits the text, without losing any of it, into words or into at most `count` pieces. */
const cut = (text: string, count: number | undefined): string[] => {
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

const spoken = (last: Turn | undefined, chunks: number | undefined): string => {
  const images = last?.images ?? 0
  const seen = images === 0 ? "" : `I see ${images} ${images === 1 ? "image" : "images"}. `
  const opening = last?.role === "tool" ? "The tool said:" : "You said:"
  const text = `${seen}${opening} ${last?.text ?? ""}`.trimEnd()
  const missing = Math.max(0, (chunks ?? 0) - words(text))
  return text + Array.from({ length: missing }, (_, index) => ` word${index + 1}`).join("")
}

const formatted = (text: string, format: Ask["format"]): string => {
  if (format === "text") return text
  return JSON.stringify(format === "json" ? { reply: text } : fitting(format, text))
}

const callOf = ({ name, parameters }: Tool, text: string): Call => {
  const fitted = objectOf(fitting(parameters, text))
  return { id: idOf("call_", `${name}${text}`), name, parameters: fitted }
}

const finishOf = ({ calls, cutShort }: { calls: number; cutShort: boolean }): Said["finish"] => {
  if (calls > 0) return "tool_calls"
  return cutShort ? "length" : "stop"
}

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0

/** A value that matches a simple JSON schema; strings are the text. */
const fitting = (schema: Json | undefined, text: string): Json => {
  if (!isObject(schema)) return {}
  const first = listOf(schema.enum)[0] ?? schema.const
  if (first !== undefined) return first
  const choice = listOf(schema.anyOf)[0]
  if (choice !== undefined) return fitting(choice, text)
  const type = textOf(listOf(schema.type)[0] ?? schema.type)
  if (type === "array") return [fitting(schema.items, text)]
  if (type === "object" || (type === "" && isObject(schema.properties))) return filled(schema, text)
  return PLAIN[type] ?? text
}

const PLAIN: { [type: string]: Json } = { integer: 1, number: 1.5, boolean: true }

const filled = (schema: JsonObject, text: string): JsonObject =>
  Object.fromEntries(
    Object.entries(objectOf(schema.properties)).map(([key, part]) => [key, fitting(part, text)]),
  )
