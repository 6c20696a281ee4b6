import { callRaw } from "./api.ts"
import { readJsonEvents } from "./response-stream.ts"

export interface CompletionBody {
  model: string
  messages: { role: string; content: unknown }[]
  [parameter: string]: unknown
}

/** What one event of a streamed completion adds to the answer. */
export interface CompletionDelta {
  content: string
  reasoning: string
  finishReason: string | null
  /** In the last event, if the provider reports them. */
  tokens: { in: number; out: number } | null
}

interface CompletionChunk {
  choices?: {
    delta?: { content?: string | null; reasoning_content?: string; reasoning?: string }
    finish_reason?: string | null
  }[]
  usage?: { prompt_tokens: number; completion_tokens: number } | null
  error?: { message?: string; code?: string | null }
}

/** The provider or the gateway ended a stream with an error. */
export class CompletionError extends Error {
  override name = "CompletionError"
  readonly code: string

  constructor({ message, code }: NonNullable<CompletionChunk["error"]>) {
    super(message ?? "")
    this.code = code ?? "upstream_error"
  }
}

const parseChunk = ({ choices, usage, error }: CompletionChunk): CompletionDelta => {
  if (error) throw new CompletionError(error)
  const { delta, finish_reason } = choices?.[0] ?? {}
  return {
    content: delta?.content ?? "",
    reasoning: delta?.reasoning_content ?? delta?.reasoning ?? "",
    finishReason: finish_reason ?? null,
    tokens: usage ? { in: usage.prompt_tokens, out: usage.completion_tokens } : null,
  }
}

/**
 * Requests a completion that the gateway does not store.
 * @throws {ApiError} @throws {UnreachableError} @throws {CompletionError}
 */
export async function* streamCompletion(
  body: CompletionBody,
  signal: AbortSignal,
): AsyncGenerator<CompletionDelta> {
  const streamed = { ...body, stream: true, stream_options: { include_usage: true } }
  const response = await callRaw("POST", "/v1/chat/completions", { body: streamed, signal })
  for await (const chunk of readJsonEvents<CompletionChunk>(response)) yield parseChunk(chunk)
}
