import type { IncomingHttpHeaders } from "node:http"
import type { Socket } from "node:net"
import { catchErrors, type Failure, reportUnhandled } from "../../errors.ts"
import { clientDisconnected, pauseUntilNextTick } from "../body.ts"
import { BodyBuffer, type JsonBody } from "../body-buffer.ts"
import type { IncomingHead } from "../request-context.ts"
import { type ParsedRequestHead, parseRequestHead } from "./request-parser.ts"
import { FastPathResponse } from "./response.ts"
import type { FastPathRoute, ReadBody } from "./routes.ts"

/** Maximum of buffered body bytes before `read`, and of pipelined bytes after the request. */
const maxReadAheadBytes = 64 * 1024
/** Time for a whole request to arrive; the same as Node's `requestTimeout`. */
const requestMs = 300_000

export interface FastPathDeps {
  find: (target: string) => FastPathRoute | undefined
  isHostAllowed: (host: string | undefined) => boolean
  answer: (
    route: FastPathRoute,
    incoming: IncomingHead,
    outgoing: FastPathResponse,
    read: ReadBody,
  ) => void
  /** Hands the connection, and the bytes already read, to Node's HTTP server. */
  handOver: (socket: Socket, read: Buffer) => void
  /** Keep-alive timeout in seconds; 0 while the gateway is shutting down. */
  keepAliveSeconds: () => number
  onClosed: (connection: FastPathConnection) => void
}

interface PendingRead {
  body: BodyBuffer
  resolve: (body: JsonBody) => void
  reject: (reason: unknown) => void
}

/** A request parsed by the fast path; `read` returns its body. */
class FastPathRequest implements IncomingHead {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
  readonly #length: number
  #remaining: number
  /** Received before `read` was called. */
  #chunks: Buffer[] = []
  #waiting: PendingRead | null = null
  /** The rest of the body is discarded. */
  #isDiscarding = false
  #failure: Failure | null = null

  constructor({ method, url, headers, length }: ParsedRequestHead<unknown>, socket: Socket) {
    this.method = method
    this.url = url
    this.headers = headers
    this.socket = socket
    this.#length = length
    this.#remaining = length
  }

  get isComplete(): boolean {
    return this.#remaining === 0
  }

  /** Whether enough of the body is buffered ahead of `read` to pause the socket. */
  get hasExcessReadAhead(): boolean {
    const here = this.#length - this.#remaining
    return this.#remaining > 0 && !this.#isDiscarding && !this.#waiting && here > maxReadAheadBytes
  }

  /** Whether the body is large enough to yield to other requests between its chunks. */
  get isLarge(): boolean {
    return this.#waiting?.body.isLarge === true
  }

  /** @returns how many of `bytes` belong to this request's body */
  take(bytes: Buffer): number {
    const taken = Math.min(this.#remaining, bytes.length)
    this.#remaining -= taken
    const own = taken === bytes.length ? bytes : bytes.subarray(0, taken)
    if (this.#waiting) this.#gather(this.#waiting, own)
    else if (!this.#isDiscarding && taken > 0) this.#chunks.push(own)
    return taken
  }

  readonly read: ReadBody = (limits) => {
    if (this.#failure) throw this.#failure
    const body = new BodyBuffer(limits, this.#length)
    for (const chunk of this.#chunks) body.push(chunk)
    this.#chunks = []
    if (this.#remaining === 0) return body.end()
    return new Promise((resolve, reject) => {
      this.#waiting = { body, resolve, reject }
      this.socket.resume()
    })
  }

  #gather({ body, resolve, reject }: PendingRead, chunk: Buffer): void {
    try {
      body.push(chunk)
      if (this.#remaining > 0) return
      resolve(body.end())
    } catch (error) {
      this.#isDiscarding = true
      reject(error)
    }
    this.#waiting = null
  }

  /** Discards the rest of the body: the response has closed or the client disconnected. */
  drop(failure?: Failure): void {
    this.#isDiscarding = true
    this.#chunks = []
    if (failure) this.#waiting?.reject(failure)
    this.#failure = failure ?? null
    this.#waiting = null
  }
}

/**
 * A client connection that serves simple requests to fast-path routes in sequence. The first request
 * of any other kind hands the connection over to Node's HTTP server for good.
 */
export class FastPathConnection {
  readonly #socket: Socket
  readonly #deps: FastPathDeps
  #request: FastPathRequest | null = null
  #reply: FastPathResponse | null = null
  /** Bytes of pipelined requests. */
  #pipelined: Buffer | null = null
  #deadline = 0
  #hasReceived = false

  constructor(socket: Socket, deps: FastPathDeps, now: number) {
    this.#socket = socket
    this.#deps = deps
    this.#deadline = now + Math.max(1, deps.keepAliveSeconds()) * 1000
    socket.on("data", this.#take)
    socket.on("drain", this.#drained)
    socket.on("end", this.#ended)
    socket.on("error", this.#onError)
    socket.on("close", this.#closed)
  }

  get isIdle(): boolean {
    return this.#reply === null && this.#request === null
  }

  /** Whether no request has been received yet; the first may be in transit. */
  get isNew(): boolean {
    return !this.#hasReceived
  }

  /** Closes the connection if its deadline has passed while idle or receiving a request. */
  check(now: number): void {
    if (now < this.#deadline) return
    if (this.isIdle || this.#request?.isComplete === false) this.#socket.destroy()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  readonly #take = (bytes: Buffer): void => catchErrors(() => this.#read(bytes), this.#failed)

  #read(bytes: Buffer): void {
    if (this.isIdle) {
      this.#hasReceived = true
      this.#startRequest(bytes)
      return
    }
    const taken = this.#request?.take(bytes) ?? 0
    if (taken < bytes.length) this.#keep(bytes.subarray(taken))
    if (this.#request?.hasExcessReadAhead) this.#socket.pause()
    else if (this.#request?.isLarge) pauseUntilNextTick(this.#socket)
    else if (!this.#reply) this.#next()
  }

  #startRequest(bytes: Buffer): void {
    const head = parseRequestHead(bytes, this.#deps.find)
    if (!head || !this.#deps.isHostAllowed(head.headers.host)) {
      this.#handOver(bytes)
      return
    }
    const socket = this.#socket
    const request = new FastPathRequest(head, socket)
    const reply = new FastPathResponse({
      socket,
      keepAliveSeconds: this.#deps.keepAliveSeconds,
      closed: this.#replied,
    })
    this.#request = request
    this.#reply = reply
    this.#deadline = performance.now() + requestMs
    const rest = bytes.subarray(head.end)
    const taken = request.take(rest)
    if (taken < rest.length) this.#keep(rest.subarray(taken))
    this.#deps.answer(head.route, request, reply, request.read)
    if (request.hasExcessReadAhead) socket.pause()
  }

  /** Buffers pipelined requests (RFC 9112 §9.3.2). */
  #keep(bytes: Buffer): void {
    this.#pipelined = this.#pipelined ? Buffer.concat([this.#pipelined, bytes]) : bytes
    if (this.#pipelined.length > maxReadAheadBytes) this.#socket.pause()
  }

  readonly #replied = (keep: boolean): void => {
    this.#reply = null
    this.#request?.drop(keep ? undefined : clientDisconnected())
    if (!keep) this.#socket.destroySoon()
    else if (this.#request?.isComplete === false) this.#socket.resume()
    else this.#next()
  }

  /** Continues with the next request after a completed exchange. */
  #next(): void {
    if (this.#request?.isComplete === false) return
    this.#request = null
    const early = this.#pipelined
    this.#pipelined = null
    const kept = this.#deps.keepAliveSeconds()
    if (kept === 0 && !early) {
      this.#socket.destroySoon()
      return
    }
    this.#deadline = performance.now() + kept * 1000
    this.#socket.resume()
    if (early) this.#read(early)
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket
    socket.off("data", this.#take)
    socket.off("drain", this.#drained)
    socket.off("end", this.#ended)
    socket.off("error", this.#onError)
    socket.off("close", this.#closed)
    this.#deps.onClosed(this)
    this.#deps.handOver(socket, bytes)
  }

  readonly #drained = (): void => {
    this.#reply?.drained()
  }

  /** A bug while processing data closes only this connection. */
  readonly #failed = (error: unknown): void => {
    this.#socket.destroy()
    reportUnhandled(error)
  }

  /** Like Node's server, treats a half-close as a disconnect, but flushes a finished response. */
  readonly #ended = (): void => {
    if (this.#reply && !this.#reply.writableEnded) this.#socket.destroy()
    else this.#socket.destroySoon()
  }

  readonly #onError = (): void => {
    this.#socket.destroy()
  }

  readonly #closed = (): void => {
    this.#deps.onClosed(this)
    const reply = this.#reply
    this.#request?.drop(clientDisconnected())
    reply?.close()
  }
}
