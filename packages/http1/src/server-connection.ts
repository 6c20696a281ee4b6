import type { Socket } from "node:net"
import { parseRequestHead } from "./parse-request-head.ts"
import { FastPathRequest, pauseUntilNextIteration } from "./server-request.ts"
import { FastPathResponse } from "./server-response.ts"

/** Maximum of bytes buffered after the current request. */
const maxPipelinedBytes = 64 * 1024
/** Time for a whole request to arrive; the same as Node's `requestTimeout`. */
const requestTimeoutMs = 300_000

export interface ConnectionDeps<Route> {
  /** @param target "METHOD target" */
  findRoute: (target: string) => Route | undefined
  isHostAllowed: (host: string | undefined) => boolean
  respond: (route: Route, request: FastPathRequest, response: FastPathResponse) => void
  /** Hands the connection, and the bytes already read, to Node's HTTP server. */
  handOver: (socket: Socket, read: Buffer) => void
  /** Keep-alive timeout in seconds; 0 while the server is shutting down. */
  keepAliveSeconds: () => number
  /** Creates the error of a body that the client does not send completely. */
  createDisconnectError: () => Error
  /** Receives exceptions that belong to no request. */
  reportError: (error: unknown) => void
  onClosed: (connection: FastPathConnection<Route>) => void
}

/**
 * A client connection that serves simple requests to fast-path routes in sequence. The first request
 * of any other kind hands the connection over to Node's HTTP server for good.
 */
export class FastPathConnection<Route> {
  readonly #socket: Socket
  readonly #deps: ConnectionDeps<Route>
  #request: FastPathRequest | null = null
  #response: FastPathResponse | null = null
  /** Bytes of pipelined requests. */
  #pipelined: Buffer | null = null
  #deadline = 0
  #hasReceived = false
  readonly #listeners: readonly [event: string, listener: (bytes: Buffer) => void][] = [
    ["data", (bytes) => this.#onData(bytes)],
    ["drain", () => this.#response?.emitDrain()],
    ["end", () => this.#onClientEnd()],
    ["error", () => this.#socket.destroy()],
    ["close", () => this.#onClose()],
  ]

  constructor(socket: Socket, deps: ConnectionDeps<Route>, now: number) {
    this.#socket = socket
    this.#deps = deps
    this.#deadline = now + Math.max(1, deps.keepAliveSeconds()) * 1000
    for (const [event, listener] of this.#listeners) socket.on(event, listener)
  }

  get isIdle(): boolean {
    return this.#response === null && this.#request === null
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

  /** While draining: closes the connection if it waits for a client that has stalled. */
  destroyIfStalled(isStalled: (socket: Socket, now: number) => boolean, now: number): void {
    if (this.#request?.isComplete === false && isStalled(this.#socket, now)) this.#socket.destroy()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** A bug while processing data closes only this connection. */
  #onData(bytes: Buffer): void {
    try {
      this.#read(bytes)
    } catch (error) {
      this.#socket.destroy()
      this.#deps.reportError(error)
    }
  }

  #read(bytes: Buffer): void {
    if (this.isIdle) {
      this.#hasReceived = true
      this.#startRequest(bytes)
      return
    }
    const consumed = this.#request?.receive(bytes) ?? 0
    if (consumed < bytes.length) this.#bufferPipelined(bytes.subarray(consumed))
    if (this.#request?.hasExcessReadAhead) this.#socket.pause()
    else if (this.#request?.isLarge) pauseUntilNextIteration(this.#socket)
    else if (!this.#response) this.#startNextRequest()
  }

  #startRequest(bytes: Buffer): void {
    const head = parseRequestHead(bytes, this.#deps.findRoute)
    if (!head || !this.#deps.isHostAllowed(head.headers.host)) {
      this.#handOver(bytes)
      return
    }
    const socket = this.#socket
    const request = new FastPathRequest(head, socket)
    const response = new FastPathResponse({
      socket,
      keepAliveSeconds: this.#deps.keepAliveSeconds,
      reportError: this.#deps.reportError,
      onClosed: this.#onResponseClosed,
    })
    this.#request = request
    this.#response = response
    this.#deadline = performance.now() + requestTimeoutMs
    const afterHead = bytes.subarray(head.bodyOffset)
    const consumed = request.receive(afterHead)
    if (consumed < afterHead.length) this.#bufferPipelined(afterHead.subarray(consumed))
    this.#deps.respond(head.route, request, response)
    if (request.hasExcessReadAhead) socket.pause()
  }

  /** Buffers pipelined requests (RFC 9112 §9.3.2). */
  #bufferPipelined(bytes: Buffer): void {
    this.#pipelined = this.#pipelined ? Buffer.concat([this.#pipelined, bytes]) : bytes
    if (this.#pipelined.length > maxPipelinedBytes) this.#socket.pause()
  }

  readonly #onResponseClosed = (isReusable: boolean): void => {
    this.#response = null
    this.#request?.discardBody(isReusable ? undefined : this.#deps.createDisconnectError())
    if (!isReusable) this.#socket.destroySoon()
    else if (this.#request?.isComplete === false) this.#socket.resume()
    else this.#startNextRequest()
  }

  /** Continues with the next request after a completed exchange. */
  #startNextRequest(): void {
    if (this.#request?.isComplete === false) return
    this.#request = null
    const pipelined = this.#pipelined
    this.#pipelined = null
    const keepAliveSeconds = this.#deps.keepAliveSeconds()
    if (keepAliveSeconds === 0 && !pipelined) {
      this.#socket.destroySoon()
      return
    }
    this.#deadline = performance.now() + keepAliveSeconds * 1000
    this.#socket.resume()
    if (pipelined) this.#read(pipelined)
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket
    for (const [event, listener] of this.#listeners) socket.off(event, listener)
    this.#deps.onClosed(this)
    this.#deps.handOver(socket, bytes)
  }

  /** Like Node's server, treats a half-close as a disconnect, but flushes a finished response. */
  #onClientEnd(): void {
    if (this.#response && !this.#response.writableEnded) this.#socket.destroy()
    else this.#socket.destroySoon()
  }

  #onClose(): void {
    this.#deps.onClosed(this)
    const response = this.#response
    this.#request?.discardBody(this.#deps.createDisconnectError())
    response?.emitClose()
  }
}
