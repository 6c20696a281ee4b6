import type { ResponseListener } from "./response-listener.ts"

export interface BufferedResponse {
  status: number
  /** Alternating names and values, in the order received. */
  rawHeaders: readonly string[]
  text: string
}

interface ReadLimits {
  signal: AbortSignal
  maxBytes: number
}

/** The response exceeded `maxBytes`; the rest was not read. */
export class ResponseTooLargeError extends Error {
  override readonly name = "ResponseTooLargeError"

  constructor(maxBytes: number) {
    super(`its answer is longer than ${maxBytes / 1e6} MB`)
  }
}

/**
 * Reads a whole response into memory.
 * @throws {UpstreamError | ResponseTooLargeError} or the signal's abort reason
 */
export const readBufferedResponse = (
  start: (listener: ResponseListener) => { cancel: () => void },
  { signal, maxBytes }: ReadLimits,
): Promise<BufferedResponse> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const chunks: Buffer[] = []
    let bytes = 0
    let head: Omit<BufferedResponse, "text"> = { status: 0, rawHeaders: [] }
    const removeAbortListener = (): void => signal.removeEventListener("abort", onAbort)
    const abortWith = (reason: unknown): void => {
      removeAbortListener()
      handle.cancel()
      reject(reason)
    }
    const onAbort = (): void => abortWith(signal.reason)
    signal.addEventListener("abort", onAbort)
    const handle = start({
      onHead: (status, rawHeaders) => {
        head = { status, rawHeaders }
      },
      onData: (chunk) => {
        bytes += chunk.length
        if (bytes > maxBytes) {
          abortWith(new ResponseTooLargeError(maxBytes))
          return false
        }
        chunks.push(chunk)
        return true
      },
      onEnd: () => {
        removeAbortListener()
        resolve({ ...head, text: Buffer.concat(chunks).toString("utf8") })
      },
      onError: (error) => {
        removeAbortListener()
        reject(error)
      },
      onListenerError: reject,
    })
  })
