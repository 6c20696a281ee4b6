import type { Json } from "./json.ts"

export type Whole = {
  status: number
  headers: Record<string, string>
  body: string
  /** Milliseconds before the response begins, for the time that a model needs to generate it. */
  afterMs?: number
}
export type Streamed = {
  status: number
  headers: Record<string, string>
  frames: Iterable<string>
  /** Milliseconds before each frame except the first. */
  delayMs: number
}
/** A route's response, before any fault is applied. */
export type Answer = Whole | Streamed

export const json = (status: number, body: Json, headers: Record<string, string> = {}): Whole => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
})

/** One server-sent event; the Responses API also names its events. */
export const sse = (data: Json, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`

export const SSE_DONE = "data: [DONE]\n\n"

const GO_ESCAPED = /[<>&\u2028\u2029]/g

/** JSON as Go's encoder writes it: `<`, `>` and `&` become `\u003c`, `\u003e`, `\u0026`. */
export const goJson = (value: Json): string =>
  JSON.stringify(value).replace(
    GO_ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

export const goReply = (status: number, body: Json): Whole => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: goJson(body),
})

export const ndjson = (lines: Iterable<Json>, delayMs: number): Streamed => ({
  status: 200,
  headers: { "content-type": "application/x-ndjson" },
  frames: linesOf(lines),
  delayMs,
})

function* linesOf(lines: Iterable<Json>) {
  for (const line of lines) yield `${goJson(line)}\n`
}

export const eventStream = (frames: Iterable<string>, delayMs: number): Streamed => ({
  status: 200,
  headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
  frames,
  delayMs,
})
