import type { Caller } from "../http/caller.ts"
import type { InFlightRequests } from "../http/in-flight-requests.ts"
import { type StoredFile, toFileRecord } from "./file-store.ts"
import type { Files } from "./files.ts"
import type { ProcessStatus } from "./schema.ts"

const maxStreamMs = 3_600_000
const heartbeatMs = 15_000

export const toProcessStatus = (file: StoredFile): ProcessStatus => toFileRecord(file).data

/**
 * Server-sent events with the status after each change, until processing ends, the credential is
 * revoked, or the gateway shuts down.
 * @throws {Failure} `rate_limited` when the user has too many streams
 */
export const createStatusStream = (
  files: Files,
  file: StoredFile,
  { caller, inFlight }: { caller: Caller; inFlight: InFlightRequests },
): Response => {
  const abort = new AbortController()
  const end = (): void => abort.abort()
  const endings = { revoke: end, shutDown: end, draining: end }
  const leave = inFlight.track(caller, endings, "eventStreams")
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
      send(toProcessStatus(file))
      const isFinished = (now: StoredFile): boolean => {
        send(toProcessStatus(now))
        return files.isProcessed(now)
      }
      const wait = { ms: maxStreamMs, signal: abort.signal }
      // If the file cannot be read, the stream ends, and clients connect again.
      await files.waitForFile(file.id, isFinished, wait).catch(() => {})
      clearInterval(beat)
      leave()
      if (isOpen) controller.close()
    },
    cancel: () => {
      isOpen = false
      end()
    },
  })
  const headers = { "content-type": "text/event-stream", "cache-control": "private, no-store" }
  return new Response(stream, { headers })
}
