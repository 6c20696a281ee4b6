import type { Socket } from "node:net"
import type { Readable } from "node:stream"

/** A request body that is sent as it is read from `source`. */
export interface StreamedRequestBody {
  readonly source: Readable
  /** Whether to use chunked transfer coding (RFC 9112 §7.1), as the length is unknown. */
  readonly isChunked: boolean
}

const lastChunk = "0\r\n\r\n"

/**
 * Writes a body to the socket, with backpressure. Destroys the socket if the source fails or closes
 * early.
 * @param onSent called after the last write
 */
export const writeStreamedRequestBody = (
  socket: Socket,
  { source, isChunked }: StreamedRequestBody,
  onSent: () => void,
): void => {
  const writeChunk = (chunk: Buffer): void => {
    if (socket.destroyed || chunk.length === 0) return
    socket.cork()
    if (isChunked) socket.write(`${chunk.length.toString(16)}\r\n`, "latin1")
    const hasCapacity = socket.write(chunk)
    if (isChunked) socket.write("\r\n", "latin1")
    socket.uncork()
    if (!hasCapacity) source.pause()
  }
  const resumeSource = (): void => void source.resume()
  const onEnd = (): void => {
    removeListeners()
    if (isChunked && !socket.destroyed) socket.write(lastChunk, "latin1")
    onSent()
  }
  const abort = (): void => {
    removeListeners()
    socket.destroy()
  }
  const removeListeners = (): void => {
    source.off("data", writeChunk).off("end", onEnd).off("error", abort).off("close", abort)
    socket.off("drain", resumeSource).off("close", removeListeners)
  }
  source.on("data", writeChunk).on("end", onEnd).on("error", abort).on("close", abort)
  socket.on("drain", resumeSource).on("close", removeListeners)
}
