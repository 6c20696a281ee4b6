import { type ServerSentEvent, SseDecoder } from "@portico/sse"

async function* readChunks<T>(body: ReadableStream<T> | null): AsyncGenerator<T> {
  const reader = body?.getReader()
  if (!reader) return
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    // Also runs when the caller leaves the loop early, which stops the upstream request.
    await reader.cancel().catch(() => {})
  }
}

/** Parses NDJSON; T is the type that the route documents. */
export async function* readJsonLines<T>(response: Response): AsyncGenerator<T> {
  const text = response.body?.pipeThrough(new TextDecoderStream()) ?? null
  let rest = ""
  for await (const chunk of readChunks(text)) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line.trim()) yield JSON.parse(line) as T
  }
  if (rest.trim()) yield JSON.parse(rest) as T
}

/** Yields the events of an event stream as they arrive. */
export async function* readServerSentEvents(response: Response): AsyncGenerator<ServerSentEvent> {
  const decoder = new SseDecoder()
  for await (const chunk of readChunks(response.body)) yield* decoder.push(chunk)
  yield* decoder.end()
}

/** Parses the data of an event stream up to `[DONE]`; T is the type that the route documents. */
export async function* readJsonEvents<T>(response: Response): AsyncGenerator<T> {
  for await (const { data } of readServerSentEvents(response)) {
    if (data === "[DONE]") return
    if (data) yield JSON.parse(data) as T
  }
}
