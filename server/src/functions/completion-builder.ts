import { randomUUID } from "node:crypto"
import { type Fields, isObject, textOf } from "../formats/json-values.ts"

const charactersPerToken = 4

const tokensIn = (text: string): number => Math.ceil(text.length / charactersPerToken)

export interface Counts {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
}

const numberOf = (value: unknown): number =>
  typeof value === "number" && value >= 0 && Number.isFinite(value) ? Math.round(value) : 0

/** Token counts reported by a function, with missing fields filled in. */
const countsOf = (usage: Fields): Counts => {
  const prompt_tokens = numberOf(usage.prompt_tokens)
  const completion_tokens = numberOf(usage.completion_tokens)
  return {
    ...usage,
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
  }
}

const deltaNames = ["role", "content", "reasoning_content", "tool_calls", "refusal"] as const
const aboutAnswer = ["finish_reason", "usage", "sources"] as const

/** Converts the pieces that a function yields to OpenAI API format, streamed or not. */
export const createCompletion = ({ model, prompt }: { model: string; prompt: string }) => {
  const id = `chatcmpl-${randomUUID()}`
  const created = Math.floor(Date.now() / 1000)
  let begun = false
  let written = ""
  let usage: Counts | null = null
  let finish: string | null = null
  const message: Fields = { role: "assistant", content: "" }
  const told: Fields = {}

  const chunk = (fields: Fields): string =>
    `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created, model, ...fields })}\n\n`

  const choice = (delta: Fields, finish_reason: string | null = null): string =>
    chunk({ choices: [{ index: 0, delta, finish_reason }] })

  /** The piece reduced to the fields that a delta may have. */
  const deltaOf = (piece: Fields): Fields => {
    const delta: Fields = {}
    for (const name of deltaNames) if (piece[name] !== undefined) delta[name] = piece[name]
    return delta
  }

  const keep = (delta: Fields): void => {
    const content = textOf(delta.content)
    message.content = textOf(message.content) + content
    written += content + textOf(delta.reasoning_content)
    if (delta.reasoning_content !== undefined) {
      message.reasoning_content =
        textOf(message.reasoning_content) + textOf(delta.reasoning_content)
    }
    if (Array.isArray(delta.tool_calls)) {
      const before = Array.isArray(message.tool_calls) ? message.tool_calls : []
      message.tool_calls = [...before, ...delta.tool_calls]
      finish ??= "tool_calls"
    }
  }

  const note = (piece: Fields): void => {
    if (isObject(piece.usage)) usage = countsOf(piece.usage)
    if (typeof piece.finish_reason === "string") finish = piece.finish_reason
    if (Array.isArray(piece.sources)) told.sources = piece.sources
  }

  const put = (piece: unknown): string => {
    const fields = isObject(piece) ? piece : { content: String(piece) }
    note(fields)
    const delta = deltaOf(fields)
    const role = begun ? {} : { role: "assistant" }
    const said = Object.keys(delta).length > 0
    if (said) begun = true
    keep(delta)
    const sources = Array.isArray(fields.sources)
      ? chunk({ choices: [], sources: fields.sources })
      : ""
    return sources + (said ? choice({ ...role, ...delta }) : "")
  }

  const estimated = (): Counts => {
    const prompt_tokens = tokensIn(prompt)
    const completion_tokens = tokensIn(written)
    return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
  }

  /** Merges adjacent strings, so that they are sent as one event. */
  const joined = (pieces: readonly unknown[]): unknown[] => {
    const out: unknown[] = []
    for (const piece of pieces) {
      const last = out.at(-1)
      if (typeof piece === "string" && typeof last === "string") out[out.length - 1] = last + piece
      else out.push(piece)
    }
    return out
  }

  return {
    /** True when the gateway estimated the token counts because the function reported none. */
    isEstimate: (): boolean => usage === null,

    /** Renders pieces as server-sent events. */
    add: (pieces: readonly unknown[]): string => joined(pieces).map(put).join(""),

    /** Takes over a complete completion object returned by a function. */
    addWhole: (completion: Fields): string => {
      const { choices, ...rest } = completion
      const [first] = Array.isArray(choices) ? choices : []
      const own = isObject(first?.message) ? first.message : {}
      const finish_reason = first?.finish_reason ?? undefined
      return put({ ...own, ...pick(rest, aboutAnswer), ...(finish_reason && { finish_reason }) })
    },

    /** The final events of a stream. */
    ending: (): string => {
      const first = begun ? "" : choice({ role: "assistant", content: "" })
      const last = choice({}, finish ?? "stop")
      const counted = chunk({ choices: [], usage: usage ?? estimated() })
      return `${first}${last}${counted}data: [DONE]\n\n`
    },

    whole: (): string =>
      JSON.stringify({
        id,
        object: "chat.completion",
        created,
        model,
        ...told,
        choices: [{ index: 0, message, finish_reason: finish ?? "stop" }],
        usage: usage ?? estimated(),
      }),
  }
}

const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])))

export type Completion = ReturnType<typeof createCompletion>
