import type { Socket } from "node:net"
import type { Readable } from "node:stream"

/** A request's body that is sent while it comes in. */
export interface StreamedBody {
  readonly source: Readable
  /** Whether its length was not told before (RFC 9112 §7.1). */
  readonly chunked: boolean
}

const lastChunk = "0\r\n\r\n"

/**
 * Writes a body as it comes, no faster than the other side takes it.
 * @param done told when all of it was written; a source that breaks off breaks the connection
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
