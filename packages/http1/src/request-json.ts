import { readBufferedResponse } from "./buffered-response.ts"
import type { Transport, UpstreamRequest } from "./transport.ts"

type JsonRequest = Pick<UpstreamRequest, "method" | "path" | "headers"> & {
  json?: unknown
  /** Maximum size of the response. */
  maxBytes?: number
}

/** A batch of embeddings takes tens of megabytes as JSON. */
const defaultMaxBytes = 64_000_000

const maxErrorBodyLength = 10_000

/** The upstream answered with a status other than 2xx. */
export class HttpStatusError extends Error {
  override readonly name = "HttpStatusError"
  readonly status: number
  /** The response body's beginning. */
  readonly body: string

  constructor(status: number, body: string) {
    super(`it answered ${status}: ${body.slice(0, 200)}`)
    this.status = status
    this.body = body.slice(0, maxErrorBodyLength)
  }
}

/**
 * Sends a request and parses the JSON response.
 * @throws {HttpStatusError} for a status other than 2xx
 * @throws {UpstreamError | ResponseTooLargeError | SyntaxError}
 */
export const requestJson = async (
  transport: Pick<Transport, "send">,
  { json, headers, maxBytes = defaultMaxBytes, ...request }: JsonRequest,
  signal: AbortSignal,
): Promise<unknown> => {
  const body = json === undefined ? null : Buffer.from(JSON.stringify(json))
  const sentHeaders =
    json === undefined ? headers : { ...headers, "content-type": "application/json" }
  const { status, text } = await readBufferedResponse(
    (listener) => transport.send({ ...request, headers: sentHeaders, body }, listener),
    { signal, maxBytes },
  )
  if (status < 200 || status > 299) throw new HttpStatusError(status, text)
  return JSON.parse(text)
}
