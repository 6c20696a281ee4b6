/**
 * The form of a Portico function: one ES module in TypeScript or JavaScript. What it exports says
 * what it is. Types are erased, so `import type { Context } from "portico"` costs nothing.
 *
 * A model exports `reply`:
 *
 *   export const name = "Echo"
 *   export async function* reply({ messages }: ChatRequest, context: Context) {
 *     yield `You said: ${messages.at(-1)?.content}`
 *   }
 *
 * A filter exports one or more of `before`, `chunk` and `after`.
 */

/** A part of a message that is more than text. */
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

/** The body of `POST /v1/chat/completions`, as the client sent it. */
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

/** One entry of a reply's `sources`; entry i is what the text cites as [i + 1]. */
export interface Source {
  source: { id: string; name: string; type: "file" | "collection" }
  document: string[]
  metadata: Record<string, unknown>[]
  distances: number[]
}

/** A piece of a reply. */
export interface Delta {
  content?: string | null
  /** What a reasoning model thinks before it answers. */
  reasoning_content?: string
  tool_calls?: unknown[]
  /** What the answer rests on; shown as citations. */
  sources?: Source[]
  usage?: Usage
  finish_reason?: "stop" | "length" | "tool_calls" | "content_filter"
}

/** A whole reply, as the OpenAI API has it. */
export interface Completion {
  choices: { index: number; message: Message; finish_reason: string | null }[]
  usage?: Usage
  sources?: Source[]
  [field: string]: unknown
}

/** What `reply` may yield, piece by piece. */
export type Piece = string | Delta

/**
 * What `reply` may give: a generator of pieces; a text; a whole completion; or a request to another
 * model (it has `model` and `messages`), whose reply then passes to the client as it comes.
 */
export type Reply =
  | AsyncIterable<Piece>
  | Iterable<Piece>
  | string
  | Completion
  | ChatRequest
  | Promise<string | Completion | ChatRequest | AsyncIterable<Piece>>

/** One of several models that a function offers: `{function id}.{id}`. */
export interface Model {
  id: string
  name?: string
  description?: string
}

/** What an administrator fills in; `export const settings: Record<string, Setting>`. */
export interface Setting {
  /** `text` when left out. A `secret` is encrypted at rest and never shown again. */
  type?: "text" | "secret" | "number" | "boolean" | "choice"
  label?: string
  description?: string
  /** The function refuses to run until it is filled in. */
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
  /** Names in small letters. */
  headers: Record<string, string>
  text(): Promise<string>
  json<T = unknown>(): Promise<T>
}

export interface Passage {
  text: string
  /** 0 to 1; the better, the higher. */
  score: number
  file_id: string
  filename: string
  heading?: string
  page?: number
}

export interface Found {
  passages: Passage[]
  /** Ready to be yielded as `{ sources }`. */
  sources: Source[]
}

export type Log = (...values: unknown[]) => void

export interface Context {
  /** Who asks. */
  user: { id: string; name: string; email: string; role: string; groups: string[] }
  /** The settings as an administrator filled them in, defaults included. */
  settings: Record<string, string | number | boolean>
  /** Which of the function's models was asked for; `name` is null where it has one only. */
  model: { id: string; name: string | null }
  /** Aborted when the client leaves. */
  signal: {
    aborted: boolean
    throwIfAborted(): void
    addEventListener(type: "abort", listener: () => void): void
  }
  /** A line in the function's log, with its line number. */
  log: Log & { debug: Log; info: Log; warn: Log; error: Log }
  /** To hosts that an administrator allowed for this function. */
  fetch(
    url: string | URL,
    init?: { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Response>
  /** Asks another model as the user who asks: with his grants, on his account. */
  chat(request: ChatRequest & { stream: true }): AsyncIterable<Delta>
  chat(request: ChatRequest): Promise<Completion>
  embed(request: {
    model: string
    input: string | string[]
  }): Promise<{ data: { index: number; embedding: number[] }[]; usage?: Usage }>
  /** Passages of collections that the user may read; of the gateway's own documentation: "handbook". */
  search(
    collections: string | string[],
    query: string,
    options?: { limit?: number },
  ): Promise<Found>
  /** Files that the user may read. */
  files: {
    list(): Promise<{ id: string; name: string; content_type: string; size: number }[]>
    text(id: string): Promise<string>
  }
  /** A small store of this function's own, shared by all its users. Values are JSON. */
  store: {
    get<T = unknown>(key: string): Promise<T | null>
    set(key: string, value: unknown): Promise<void>
    delete(key: string): Promise<void>
    keys(prefix?: string): Promise<string[]>
  }
  /** Ends the run with a sentence for the caller: 400, and no fault of the function's. */
  refuse(message: string): never
}

/** A filter's view of a reply that passes: `last` comes once, at the end, with no text of its own. */
export interface PassingDelta {
  content?: string
  reasoning_content?: string
  tool_calls?: unknown[]
  last?: true
}

/** What a module may export. Everything is optional; one of the functions must be there. */
export interface Exports {
  name?: string
  description?: string
  models?: Model[]
  settings?: Record<string, Setting>
  reply?(request: ChatRequest, context: Context): Reply
  /** Changes the request on its way to the model; nothing returned leaves it as it is. */
  before?(request: ChatRequest, context: Context): Maybe<ChatRequest>
  /** Changes each piece on its way to the client; null drops it. */
  chunk?(delta: PassingDelta, context: Context): Maybe<PassingDelta | null>
  /** Changes the whole reply. One that has no `chunk` makes streams wait until they are whole. */
  after?(reply: Completion, context: Context): Maybe<Completion>
}

/** A hook may change what it was given in place, return something else, or do so later. */
export type Maybe<T> = T | undefined | Promise<T | undefined> | Promise<void>
