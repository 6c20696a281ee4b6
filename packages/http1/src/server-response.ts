import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { formatField } from "./request-head.ts"
import { coalesceWrites } from "./write-coalescing.ts"

/** A body up to this size is copied into one buffer with its head; a larger one is written apart. */
const maxCopiedBytes = 16 * 1024
const lastChunk = Buffer.from("0\r\n\r\n")
const empty = Buffer.alloc(0)

let second = 0
let dateLine = ""

/** The `date` header line, cached for one second. */
const currentDateLine = (): string => {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    dateLine = `date: ${new Date(now * 1000).toUTCString()}\r\n`
  }
  return dateLine
}

const carriageReturn = 0x0d
const newline = 0x0a

/** Frames a chunk (RFC 9112 §7.1). */
const chunkOf = (bytes: Buffer): Buffer => {
  const size = `${bytes.length.toString(16)}\r\n`
  const end = size.length + bytes.length
  const chunk = Buffer.allocUnsafe(end + 2)
  chunk.write(size, "latin1")
  bytes.copy(chunk, size.length)
  chunk[end] = carriageReturn
  chunk[end + 1] = newline
  return chunk
}

interface Deps {
  socket: Socket
  /** Keep-alive timeout in seconds; 0 closes the connection after the response. */
  keepAliveSeconds: () => number
  /** Receives exceptions thrown by listeners. */
  reportError: (error: unknown) => void
  /** Called when the response is fully written or the client disconnected. */
  closed: (keep: boolean) => void
}

/**
 * An HTTP/1.1 response (RFC 9112) like Node's `ServerResponse`, with fewer writes: one for a small
 * response, and one per chunk of a stream.
 */
export class FastPathResponse {
  readonly #deps: Deps
  #pending: Buffer | null = null
  #chunked = false
  #bodiless = false
  #keep = false
  statusCode = 200
  headersSent = false
  writableEnded = false
  writableFinished = false
  #closed = false
  #toClose: (() => void)[] = []
  #toDrain: (() => void)[] = []

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get destroyed(): boolean {
    return this.#closed || this.#deps.socket.destroyed
  }

  /** @throws {TypeError} for an invalid header */
  writeHead(status: number, headers: string[]): void {
    const kept = this.#deps.keepAliveSeconds()
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`
    let counted = false
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at] ?? ""
      head += formatField(name, headers[at + 1] ?? "")
      counted ||= name === "content-length"
    }
    this.#bodiless = status === 204 || status === 304
    this.#chunked = !counted && !this.#bodiless
    this.#keep = kept > 0
    head += currentDateLine()
    head +=
      kept > 0
        ? `connection: keep-alive\r\nkeep-alive: timeout=${kept}\r\n`
        : "connection: close\r\n"
    head += this.#chunked ? "transfer-encoding: chunked\r\n\r\n" : "\r\n"
    this.statusCode = status
    this.headersSent = true
    this.#pending = Buffer.from(head, "latin1")
  }

  flushHeaders(): void {
    if (this.#pending) this.#send(empty)
  }

  write(chunk: Buffer | string): boolean {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    if (bytes.length === 0 || this.#bodiless || this.writableEnded) return true
    return this.#send(this.#framed(bytes))
  }

  end(chunk?: Buffer | string): void {
    if (this.writableEnded || !this.headersSent) return
    this.writableEnded = true
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    const framed = bytes && bytes.length > 0 && !this.#bodiless ? this.#framed(bytes) : null
    if (!this.#chunked) this.#send(framed ?? empty, this.#finished)
    else this.#send(framed ? Buffer.concat([framed, lastChunk]) : lastChunk, this.#finished)
  }

  destroy(): void {
    this.#deps.socket.destroy()
  }

  on(event: "close" | "drain", listener: () => void): void {
    if (event === "close") this.#toClose.push(listener)
    else this.#toDrain.push(listener)
  }

  /** `close` is emitted only once, so this equals `on`. */
  once(_event: "close", listener: () => void): void {
    this.#toClose.push(listener)
  }

  prependListener(_event: "drain", listener: () => void): void {
    this.#toDrain.unshift(listener)
  }

  /** Notifies drain listeners that the socket's buffer is empty. */
  drained(): void {
    for (const listener of this.#toDrain) listener()
  }

  /** Marks the response as closed and notifies close listeners. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const listener of this.#toClose) {
      try {
        listener()
      } catch (error) {
        this.#deps.reportError(error)
      }
    }
    this.#toClose = []
    this.#toDrain = []
    this.#deps.closed(this.#keep && this.writableFinished)
  }

  readonly #finished = (error?: Error | null): void => {
    if (error) return
    this.writableFinished = true
    this.close()
  }

  #framed(bytes: Buffer): Buffer {
    return this.#chunked ? chunkOf(bytes) : bytes
  }

  #send(bytes: Buffer, done?: (error?: Error | null) => void): boolean {
    const head = this.#pending
    this.#pending = null
    const { socket } = this.#deps
    if (socket.destroyed) return false
    coalesceWrites(socket)
    if (!head) return socket.write(bytes, done)
    if (bytes.length <= maxCopiedBytes) return socket.write(Buffer.concat([head, bytes]), done)
    socket.cork()
    socket.write(head)
    const taken = socket.write(bytes, done)
    socket.uncork()
    return taken
  }
}
