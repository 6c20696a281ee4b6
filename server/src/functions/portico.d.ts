/**
 * The interface of a Portico function: one ES module in TypeScript or JavaScript. Its exports
 * determine what it is. Types are erased, so `import type { Context } from "portico"` costs nothing
 * at run time.
 *
 * A model exports `reply`:
 *
 *     export const name = "Echo"
 *     export async function* reply({ messages }: ChatRequest, context: Context) {
 *       yield `You said: ${messages.at(-1)?.content}`
 *     }
 *
 * A filter exports one or more of `before`, `chunk` and `after`.
 */

/** One part of a multimodal message. */
export interface ContentPart {
  type: "text" | "image_url" | "input_audio" | "file"
  text?: string
  image_url?: { url: string; detail?: string }
  [field: string]: unknown
}

export interface Message {
  role: "system" | "developer" | "user" | "assistant" | "tool"
  content: string | ContentPart[] | null
  name?: string
  tool_calls?: unknown[]
  tool_call_id?: string
  [field: string]: unknown
}

/** The body of `POST /v1/chat/completions`, as sent by the client. */
export interface ChatRequest {
  model: string
  messages: Message[]
  stream?: boolean
  temperature?: number
  max_tokens?: number
  tools?: unknown[]
  [field: string]: unknown
}

export interface Usage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens?: number
}

/** One entry of a response's `sources`. The text cites the entry at index i as [i + 1]. */
export interface Source {
  source: { id: string; name: string; type: "file" | "collection" }
  document: string[]
  metadata: Record<string, unknown>[]
  distances: number[]
}

/** A piece of a response. */
export interface Delta {
  content?: string | null
  /** Text that a reasoning model produces before its answer. */
  reasoning_content?: string
  tool_calls?: unknown[]
  /** Sources of the answer, shown as citations. */
  sources?: Source[]
  usage?: Usage
  finish_reason?: "stop" | "length" | "tool_calls" | "content_filter"
}

/** A complete response in the OpenAI API format. */
export interface Completion {
  choices: { index: number; message: Message; finish_reason: string | null }[]
  usage?: Usage
  sources?: Source[]
  [field: string]: unknown
}

/** A value that `reply` may yield. */
export type Piece = string | Delta

/**
 * What `reply` may return: a generator of pieces, a string, a complete response, or a request to
 * another model (an object with `model` and `messages`), whose response is passed through to the
 * client.
 */
export type Reply =
  | AsyncIterable<Piece>
  | Iterable<Piece>
  | string
  | Completion
  | ChatRequest
  | Promise<string | Completion | ChatRequest | AsyncIterable<Piece>>

/** One of several models that a function offers, with the public id `{function id}.{id}`. */
export interface Model {
  id: string
  name?: string
  description?: string
}

/**
 * A value that an administrator sets; declare with `export const settings: Record<string,
 * Setting>`.
 */
export interface Setting {
  /** Defaults to `text`. A `secret` is encrypted at rest and never shown again. */
  type?: "text" | "secret" | "number" | "boolean" | "choice"
  label?: string
  description?: string
  /** The function does not run until this setting has a value. */
  required?: boolean
  default?: string | number | boolean
  /** For `choice`. */
  choices?: string[]
  min?: number
  max?: number
  multiline?: boolean
}

export interface Response {
  status: number
  ok: boolean
  url: string
  /** Header names are lowercase. */
  headers: Record<string, string>
  text(): Promise<string>
  json<T = unknown>(): Promise<T>
}

export interface Passage {
  text: string
  /** Between 0 and 1; higher is better. */
  score: number
  file_id: string
  filename: string
  heading?: string
  page?: number
}

export interface Found {
  passages: Passage[]
  /** Yield as `{ sources }` to show the passages as citations. */
  sources: Source[]
}

export type Log = (...values: unknown[]) => void

export interface Context {
  /**
   * The user who made the request. For a service key, `id` and `name` are those of the key, `email` is
   * empty, and the only group is the key's.
   */
  user: { id: string; name: string; email: string; role: string; groups: string[] }
  /** The values set by an administrator, with defaults applied. */
  settings: Record<string, string | number | boolean>
  /** The requested model; `name` is null if the function offers a single model. */
  model: { id: string; name: string | null }
  /** Aborted when the client disconnects. */
  signal: {
    aborted: boolean
    throwIfAborted(): void
    addEventListener(type: "abort", listener: () => void): void
  }
  /** Writes a line to the function's log, with its line number. */
  log: Log & { debug: Log; info: Log; warn: Log; error: Log }
  /**
   * Sends an HTTP request. Only hosts that an administrator allowed for this function can be
   * reached.
   */
  fetch(
    url: string | URL,
    init?: { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Response>
  /** Sends a request to another model with the access and on the account of the calling user. */
  chat(request: ChatRequest & { stream: true }): AsyncIterable<Delta>
  chat(request: ChatRequest): Promise<Completion>
  embed(request: {
    model: string
    input: string | string[]
  }): Promise<{ data: { index: number; embedding: number[] }[]; usage?: Usage }>
  /**
   * Searches collections that the user can read. `"handbook"` is the gateway's own documentation,
   * and all that service keys can search.
   */
  search(
    collections: string | string[],
    query: string,
    options?: { limit?: number },
  ): Promise<Found>
  /** Files that the user can read. Service keys read none. */
  files: {
    list(): Promise<{ id: string; name: string; content_type: string; size: number }[]>
    text(id: string): Promise<string>
  }
  /** A small key-value store for this function, shared by all its users. Values are JSON. */
  store: {
    get<T = unknown>(key: string): Promise<T | null>
    set(key: string, value: unknown): Promise<void>
    delete(key: string): Promise<void>
    keys(prefix?: string): Promise<string[]>
  }
  /** Rejects the request: the caller gets status 400 with this message. */
  refuse(message: string): never
}

/**
 * A piece of a response as a filter sees it. `last` is set once, at the end, on a piece without
 * text.
 */
export interface PassingDelta {
  content?: string
  reasoning_content?: string
  tool_calls?: unknown[]
  last?: true
}

/** The exports of a module. All are optional, but at least one of the functions is required. */
export interface Exports {
  name?: string
  description?: string
  models?: Model[]
  settings?: Record<string, Setting>
  reply?(request: ChatRequest, context: Context): Reply
  /** Changes the request before it is sent to the model. Returning nothing leaves it unchanged. */
  before?(request: ChatRequest, context: Context): Maybe<ChatRequest>
  /** Changes each piece before it is sent to the client. Returning null drops it. */
  chunk?(delta: PassingDelta, context: Context): Maybe<PassingDelta | null>
  /**
   * Changes the complete response. Without `chunk`, streamed responses are buffered until complete.
   */
  after?(reply: Completion, context: Context): Maybe<Completion>
}

/** A hook may change its argument in place, return a replacement, or return a promise of either. */
export type Maybe<T> = T | undefined | Promise<T | undefined> | Promise<void>
