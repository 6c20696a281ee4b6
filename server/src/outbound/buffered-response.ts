import type { Flow, ReplyListener } from "./client.ts"

export interface WholeReply {
  status: number
  /** Names and values in turn, as they came. */
  rawHeaders: readonly string[]
  text: string
}

interface Bounds {
  signal: AbortSignal
  maxBytes: number
}

/** A reply that was given up, as there was no end to it. */
export class TooLongError extends Error {
  constructor(maxBytes: number) {
    super(`its answer is longer than ${maxBytes / 1e6} MB`)
    this.name = "TooLongError"
  }
}

/** Reads a reply to its end. @throws {UpstreamError | TooLongError} or the signal's reason */
export const wholeReply = (
  start: (listener: ReplyListener) => Flow,
  { signal, maxBytes: mostBytes }: Bounds,
): Promise<WholeReply> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const chunks: Buffer[] = []
    let bytes = 0
    let head: Omit<WholeReply, "text"> = { status: 0, rawHeaders: [] }
    const over = (): void => signal.removeEventListener("abort", stop)
    const giveUp = (reason: unknown): void => {
      over()
      flow.cancel()
      reject(reason)
    }
    const stop = (): void => giveUp(signal.reason)
    signal.addEventListener("abort", stop)
    const flow = start({
      head: (status, rawHeaders) => {
        head = { status, rawHeaders }
      },
      data: (chunk) => {
        bytes += chunk.length
        if (bytes > mostBytes) {
          giveUp(new TooLongError(mostBytes))
          return false
        }
        chunks.push(chunk)
        return true
      },
      end: () => {
        over()
        resolve({ ...head, text: Buffer.concat(chunks).toString("utf8") })
      },
      broke: (error) => {
        over()
        reject(error)
      },
      failed: reject,
    })
  })
