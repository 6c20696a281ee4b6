import type { Socket } from "node:net"
import type { Readable } from "node:stream"

/** A request body that is sent as it is read from `source`. */
export interface StreamedBody {
  readonly source: Readable
  /** Whether to use chunked transfer coding (RFC 9112 §7.1), as the length is unknown. */
  readonly chunked: boolean
}

const lastChunk = "0\r\n\r\n"

/**
 * Writes a body to the socket, with backpressure. Destroys the socket if the source fails or closes
 * early.
 * @param done called after the last write
 */
export const writeStreamedBody = (
  socket: Socket,
  { source, chunked }: StreamedBody,
  done: () => void,
): void => {
  const take = (chunk: Buffer): void => {
    if (socket.destroyed || chunk.length === 0) return
    socket.cork()
    if (chunked) socket.write(`${chunk.length.toString(16)}\r\n`, "latin1")
    const taken = socket.write(chunk)
    if (chunked) socket.write("\r\n", "latin1")
    socket.uncork()
    if (!taken) source.pause()
  }
  const resumeSource = (): void => void source.resume()
  const end = (): void => {
    stop()
    if (chunked && !socket.destroyed) socket.write(lastChunk, "latin1")
    done()
  }
  const abort = (): void => {
    stop()
    socket.destroy()
  }
  const stop = (): void => {
    source.off("data", take).off("end", end).off("error", abort).off("close", abort)
    socket.off("drain", resumeSource).off("close", stop)
  }
  source.on("data", take).on("end", end).on("error", abort).on("close", abort)
  socket.on("drain", resumeSource).on("close", stop)
}
