import type { Files } from "./files.ts"
import type { ProcessStatus } from "./schema.ts"
import { type StoredFile, toRecord } from "./store.ts"

const longestMs = 3_600_000
const heartbeatMs = 15_000

export const statusOf = (file: StoredFile): ProcessStatus => toRecord(file).data

/** Server-sent events: the state whenever it changed, until it changes no more. */
export const statusStream = (files: Files, file: StoredFile): Response => {
  const gone = new AbortController()
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      let last = ""
      const send = (state: ProcessStatus): void => {
        const text = JSON.stringify(state)
        if (text === last || gone.signal.aborted) return
        last = text
        controller.enqueue(encoder.encode(`data: ${text}\n\n`))
      }
      const beat = setInterval(() => controller.enqueue(encoder.encode(":\n\n")), heartbeatMs)
      send(statusOf(file))
      const wait = { ms: longestMs, signal: gone.signal }
      await files
        .until(
          file.id,
          (now) => {
            send(statusOf(now))
            return files.isOver(now)
          },
          wait,
        )
        .catch(() => {})
      clearInterval(beat)
      if (!gone.signal.aborted) controller.close()
    },
    cancel: () => gone.abort(),
  })
  const headers = { "content-type": "text/event-stream", "cache-control": "no-cache" }
  return new Response(stream, { headers })
}
