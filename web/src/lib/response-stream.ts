/** Yields the lines of a streamed response as they arrive, including an unterminated last line. */
async function* readLines(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) return
  let rest = ""
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split("\n")
      rest = lines.pop() ?? ""
      yield* lines
    }
    if (rest) yield rest
  } finally {
    // Also runs when the caller leaves the loop early, which stops the upstream request.
    await reader.cancel().catch(() => {})
  }
}

/** Parses NDJSON; T is the type that the route documents. */
export async function* readJsonLines<T>(response: Response): AsyncGenerator<T> {
  for await (const line of readLines(response)) {
    if (line.trim()) yield JSON.parse(line) as T
  }
}

/**
 * Parses the `data:` fields of an event stream up to `[DONE]`; T is the type that the route
 * documents.
 */
export async function* readEvents<T>(response: Response): AsyncGenerator<T> {
  for await (const line of readLines(response)) {
    const data = /^data: ?(.*)$/.exec(line.trimEnd())?.[1]
    if (data === "[DONE]") return
    if (data) yield JSON.parse(data) as T
  }
}

/** An event of an event stream and its JSON data. */
export interface NamedEvent {
  name: string
  data: unknown
}

/** Yields each event of an event stream with its name. */
export async function* readNamedEvents(response: Response): AsyncGenerator<NamedEvent> {
  let name = "message"
  for await (const line of readLines(response)) {
    const [, field, value = ""] = /^(event|data): ?(.*)$/.exec(line.trimEnd()) ?? []
    if (field === "event") name = value
    if (field === "data") yield { name, data: JSON.parse(value) }
    if (line.trim() === "") name = "message"
  }
}
