import type { Caller } from "../http/caller.ts"
import type { Running } from "../http/in-flight-requests.ts"
import type { Files } from "./files.ts"
import type { ProcessStatus } from "./schema.ts"
import { type StoredFile, toRecord } from "./store.ts"

const maxMs = 3_600_000
const heartbeatMs = 15_000

export const statusOf = (file: StoredFile): ProcessStatus => toRecord(file).data

interface Watching {
  caller: Caller
  running: Running
}

/**
 * Server-sent events with the status after each change, until processing ends, the credential is
 * revoked, or the gateway shuts down.
 * @throws {Failure} `rate_limited` when the user has too many streams
 */
export const statusStream = (
  files: Files,
  file: StoredFile,
  { caller, running }: Watching,
): Response => {
  const over = new AbortController()
  const end = (): void => over.abort()
  const leave = running.enter(caller, { revoke: end, shutDown: end, draining: end }, "eventStreams")
  let isOpen = true
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      const write = (text: string): void => {
        if (isOpen) controller.enqueue(encoder.encode(text))
      }
      let last = ""
      const send = (state: ProcessStatus): void => {
        const text = JSON.stringify(state)
        if (text === last) return
        last = text
        write(`data: ${text}\n\n`)
      }
      const beat = setInterval(() => write(":\n\n"), heartbeatMs)
      send(statusOf(file))
      const look = (now: StoredFile): boolean => {
        send(statusOf(now))
        return files.isOver(now)
      }
      const wait = { ms: maxMs, signal: over.signal }
      await files.until(file.id, look, wait).catch(() => {})
      clearInterval(beat)
      leave()
      if (isOpen) controller.close()
    },
    cancel: () => {
      isOpen = false
      end()
    },
  })
  const headers = { "content-type": "text/event-stream", "cache-control": "no-cache" }
  return new Response(stream, { headers })
}
