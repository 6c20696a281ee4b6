import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { formatHeaderField } from "./header-fields.ts"
import { coalesceWrites } from "./write-coalescing.ts"

/** A body up to this size is copied into one buffer with its head; a larger one is written apart. */
const maxCopiedBytes = 16 * 1024
const lastChunk = Buffer.from("0\r\n\r\n")
const empty = Buffer.alloc(0)

let cachedSecond = 0
let cachedDateLine = ""

/** The `date` header line, cached for one second. */
const currentDateLine = (): string => {
  const now = Math.floor(Date.now() / 1000)
  if (now !== cachedSecond) {
    cachedSecond = now
    cachedDateLine = `date: ${new Date(now * 1000).toUTCString()}\r\n`
  }
  return cachedDateLine
}

const carriageReturn = 0x0d
const lineFeed = 0x0a

/** Frames a chunk (RFC 9112 §7.1). */
const encodeChunk = (bytes: Buffer): Buffer => {
  const size = `${bytes.length.toString(16)}\r\n`
  const end = size.length + bytes.length
  const chunk = Buffer.allocUnsafe(end + 2)
  chunk.write(size, "latin1")
  bytes.copy(chunk, size.length)
  chunk[end] = carriageReturn
  chunk[end + 1] = lineFeed
  return chunk
}

interface Deps {
  socket: Socket
  /** Keep-alive timeout in seconds; 0 closes the connection after the response. */
  keepAliveSeconds: () => number
  /** Receives exceptions thrown by listeners. */
  reportError: (error: unknown) => void
  /** Called when the response is fully written or the client disconnected. */
  onClosed: (isReusable: boolean) => void
}

/**
 * An HTTP/1.1 response (RFC 9112) like Node's `ServerResponse`, with fewer writes: one for a small
 * response, and one per chunk of a stream.
 */
export class FastPathResponse {
  readonly #deps: Deps
  #unsentHead: Buffer | null = null
  #isChunked = false
  #hasNoBody = false
  #isKeptAlive = false
  statusCode = 200
  headersSent = false
  writableEnded = false
  writableFinished = false
  #isClosed = false
  #closeListeners: (() => void)[] = []
  #drainListeners: (() => void)[] = []

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get destroyed(): boolean {
    return this.#isClosed || this.#deps.socket.destroyed
  }

  /** @throws {TypeError} for an invalid header */
  writeHead(status: number, headers: string[]): void {
    const keepAliveSeconds = this.#deps.keepAliveSeconds()
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`
    let hasContentLength = false
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at] ?? ""
      head += formatHeaderField(name, headers[at + 1] ?? "")
      hasContentLength ||= name === "content-length"
    }
    this.#hasNoBody = status === 204 || status === 304
    this.#isChunked = !hasContentLength && !this.#hasNoBody
    this.#isKeptAlive = keepAliveSeconds > 0
    head += currentDateLine()
    head +=
      keepAliveSeconds > 0
        ? `connection: keep-alive\r\nkeep-alive: timeout=${keepAliveSeconds}\r\n`
        : "connection: close\r\n"
    head += this.#isChunked ? "transfer-encoding: chunked\r\n\r\n" : "\r\n"
    this.statusCode = status
    this.headersSent = true
    this.#unsentHead = Buffer.from(head, "latin1")
  }

  flushHeaders(): void {
    if (this.#unsentHead) this.#send(empty)
  }

  write(chunk: Buffer | string): boolean {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    if (bytes.length === 0 || this.#hasNoBody || this.writableEnded) return true
    return this.#send(this.#frame(bytes))
  }

  end(chunk?: Buffer | string): void {
    if (this.writableEnded || !this.headersSent) return
    this.writableEnded = true
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    const framed = bytes && bytes.length > 0 && !this.#hasNoBody ? this.#frame(bytes) : null
    if (!this.#isChunked) this.#send(framed ?? empty, this.#onFinished)
    else this.#send(framed ? Buffer.concat([framed, lastChunk]) : lastChunk, this.#onFinished)
  }

  destroy(): void {
    this.#deps.socket.destroy()
  }

  on(event: "close" | "drain", listener: () => void): void {
    if (event === "close") this.#closeListeners.push(listener)
    else this.#drainListeners.push(listener)
  }

  /** `close` is emitted only once, so this equals `on`. */
  once(_event: "close", listener: () => void): void {
    this.#closeListeners.push(listener)
  }

  prependListener(_event: "drain", listener: () => void): void {
    this.#drainListeners.unshift(listener)
  }

  /** Notifies drain listeners that the socket's buffer is empty. */
  emitDrain(): void {
    for (const listener of this.#drainListeners) listener()
  }

  /** Marks the response as closed and notifies close listeners. */
  emitClose(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const listener of this.#closeListeners) {
      try {
        listener()
      } catch (error) {
        this.#deps.reportError(error)
      }
    }
    this.#closeListeners = []
    this.#drainListeners = []
    this.#deps.onClosed(this.#isKeptAlive && this.writableFinished)
  }

  readonly #onFinished = (error?: Error | null): void => {
    if (error) return
    this.writableFinished = true
    this.emitClose()
  }

  #frame(bytes: Buffer): Buffer {
    return this.#isChunked ? encodeChunk(bytes) : bytes
  }

  #send(bytes: Buffer, done?: (error?: Error | null) => void): boolean {
    const head = this.#unsentHead
    this.#unsentHead = null
    const { socket } = this.#deps
    if (socket.destroyed) return false
    coalesceWrites(socket)
    if (!head) return socket.write(bytes, done)
    if (bytes.length <= maxCopiedBytes) return socket.write(Buffer.concat([head, bytes]), done)
    socket.cork()
    socket.write(head)
    const hasCapacity = socket.write(bytes, done)
    socket.uncork()
    return hasCapacity
  }
}
