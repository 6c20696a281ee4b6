import { toFailure } from "./failure-response.ts"
import type { NodeRequestContext } from "./request-context.ts"

interface ByteSource {
  /** @returns undefined at the end */
  next(): Promise<Uint8Array | undefined>
  cancel(): unknown
}

/**
 * A response body that closes the connection if its source fails, so that clients do not mistake it
 * for complete; the access log shows the reason. Hono would append the error message and end the
 * response normally.
 */
const createBodyStream = (
  source: ByteSource,
  context: NodeRequestContext,
): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        try {
          const bytes = await source.next()
          if (bytes) controller.enqueue(bytes)
          else controller.close()
        } catch (error) {
          context.failure = toFailure(error)
          context.outgoing.destroy()
        }
      },
      cancel: async () => {
        await source.cancel()
      },
    },
    { highWaterMark: 0 },
  )

export const streamBytes = (
  bytes: ReadableStream<Uint8Array>,
  context: NodeRequestContext,
): ReadableStream<Uint8Array> => {
  const reader = bytes.getReader()
  const next = async () => (await reader.read()).value
  return createBodyStream({ next, cancel: () => reader.cancel() }, context)
}

/** Streams generated text; each piece is generated when the client has taken the previous one. */
export const streamText = (
  pieces: AsyncGenerator<string>,
  context: NodeRequestContext,
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  const next = async () => {
    const { value, done } = await pieces.next()
    return done ? undefined : encoder.encode(value)
  }
  return createBodyStream({ next, cancel: () => pieces.return(undefined) }, context)
}
