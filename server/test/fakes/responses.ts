import type { Json } from "./json.ts"

export type FullResponse = {
  status: number
  headers: Record<string, string>
  body: string
  /** Milliseconds before the response begins, for the time that a model needs to generate it. */
  startDelayMs?: number
}
export type StreamedResponse = {
  status: number
  headers: Record<string, string>
  frames: Iterable<string>
  /** Milliseconds before each frame except the first. */
  delayMs: number
}
/** A route's response, before any fault is applied. */
export type FakeResponse = FullResponse | StreamedResponse

export const jsonResponse = (
  status: number,
  body: Json,
  headers: Record<string, string> = {},
): FullResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
})

/** One server-sent event; the Responses API also names its events. */
export const formatSseEvent = (data: Json, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`

export const SSE_DONE = "data: [DONE]\n\n"

const GO_ESCAPED = /[<>&\u2028\u2029]/g

/** JSON as Go's encoder writes it: `<`, `>` and `&` become `\u003c`, `\u003e`, `\u0026`. */
export const encodeGoJson = (value: Json): string =>
  JSON.stringify(value).replace(
    GO_ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

export const goJsonResponse = (status: number, body: Json): FullResponse => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: encodeGoJson(body),
})

export const ndjsonResponse = (lines: Iterable<Json>, delayMs: number): StreamedResponse => ({
  status: 200,
  headers: { "content-type": "application/x-ndjson" },
  frames: formatLines(lines),
  delayMs,
})

function* formatLines(lines: Iterable<Json>) {
  for (const line of lines) yield `${encodeGoJson(line)}\n`
}

export const eventStreamResponse = (
  frames: Iterable<string>,
  delayMs: number,
): StreamedResponse => ({
  status: 200,
  headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
  frames,
  delayMs,
})
