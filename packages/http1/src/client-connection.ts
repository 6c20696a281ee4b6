import { connect as connectTcp, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import type { ResponseHandler } from "./response-listener.ts"
import { ResponseParser } from "./response-parser.ts"
import { type StreamedRequestBody, writeStreamedRequestBody } from "./streamed-request-body.ts"
import {
  classifyUpstreamError,
  toError,
  UpstreamError,
  type UpstreamErrorKind,
} from "./upstream-error.ts"
import { coalesceWrites } from "./write-coalescing.ts"

export interface Peer {
  secure: boolean
  /** Host name that the certificate must match. */
  name: string
  /** IP address to connect to, or the host name. */
  address: string
  port: number
}

/** In ms. */
export interface ConnectionTimeouts {
  connect: number
  firstByte: number
  idle: number
}

export interface ConnectionRequest {
  head: string
  body: Buffer | StreamedRequestBody | null
  /** Whether the response has no body, whatever its headers say (HEAD). */
  hasNoResponseBody: boolean
}

/** Head and body up to this total size are copied into one buffer for a single write. */
const maxCoalescedBytes = 32 * 1024
/** Idle time without a `keep-alive` header; most servers close after 5 s. */
const defaultIdleMs = 4000
const maxIdleMs = 600_000
/** Subtracted from the server's timeout: it is imprecise, and a request takes time to arrive. */
const idleMarginMs = 1000

/** Shared by all connections: the parser copies what it keeps before the next read. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024)

type Phase = "connecting" | "waiting" | "receiving" | "idle" | "closed"

interface Deps {
  peer: Peer
  session: Buffer | undefined
  /** Called when the connection can take another request. */
  onIdle: (connection: ClientConnection) => void
  onClosed: (connection: ClientConnection) => void
  onSession: (session: Buffer) => void
}

const openSocket = ({ peer, session }: Deps, onRead: (length: number) => boolean): Socket => {
  const { secure, name, address, port } = peer
  const target = {
    host: address,
    port,
    noDelay: true,
    onread: { buffer: readBuffer, callback: onRead },
  }
  if (!secure) return connectTcp(target)
  return connectTls({
    ...target,
    ALPNProtocols: ["http/1.1"],
    ...(isIP(name) === 0 && { servername: name }),
    ...(session && { session }),
  })
}

/** A persistent connection to an upstream; carries one request at a time, without pipelining. */
export class ClientConnection {
  readonly #deps: Deps
  readonly #socket: Socket
  readonly #parser: ResponseParser
  #listener: ResponseHandler | null = null
  #phase: Phase = "connecting"
  #timeouts: ConnectionTimeouts
  #isPaused = false
  /** The response is complete, but bytes after it in the same read may still be invalid. */
  #isResponseComplete = false
  /** A streamed request body is still being sent. */
  #isWritingBody = false
  #deadline: number
  #failure: Error | null = null

  constructor(deps: Deps, timeouts: ConnectionTimeouts, now: number) {
    this.#deps = deps
    this.#timeouts = timeouts
    this.#deadline = now + timeouts.connect
    this.#parser = new ResponseParser({
      onHead: (status, rawHeaders) => {
        this.#phase = "receiving"
        this.#listener?.onHead(status, rawHeaders)
      },
      onData: (chunk) => {
        if (this.#listener?.onData(chunk) === false) this.#isPaused = true
      },
      onEnd: () => {
        this.#isResponseComplete = true
      },
    })
    const socket = openSocket(deps, (length) => this.#onRead(length))
    this.#socket = socket
    socket.once(deps.peer.secure ? "secureConnect" : "connect", () => {
      if (this.#phase === "connecting") this.#awaitResponse()
    })
    socket.on("error", (error) => {
      this.#failure ??= error
    })
    socket.once("end", () => this.#onServerEnd())
    socket.once("close", () => this.#onClose())
    if (deps.peer.secure) socket.on("session", deps.onSession)
  }

  /** Sends a request on a new or idle connection. The listener must not throw. */
  send(
    { head, body, hasNoResponseBody }: ConnectionRequest,
    { listener, timeouts }: { listener: ResponseHandler; timeouts: ConnectionTimeouts },
  ): void {
    this.#listener = listener
    this.#timeouts = timeouts
    this.#parser.expect(hasNoResponseBody)
    if (this.#phase !== "connecting") this.#awaitResponse()
    this.#write(head, body)
  }

  resume(): void {
    if (!this.#isPaused || this.#phase === "closed") return
    this.#isPaused = false
    this.#deadline = performance.now() + this.#timeouts.idle
    this.#socket.resume()
  }

  /** Closes the connection immediately, without notifying the listener. */
  destroy(): void {
    this.#listener = null
    this.#socket.destroy()
    this.#onClose()
  }

  /** Closes the connection immediately; the listener receives `onError`. */
  abort(): void {
    this.#socket.destroy()
  }

  /** Closes the connection if its current deadline has passed. */
  check(now: number): void {
    if (now < this.#deadline || this.#isPaused) return
    if (this.#phase === "idle") this.destroy()
    else if (this.#phase === "connecting") this.#timeOut("unreachable", "no connection in time")
    else if (this.#phase === "waiting") this.#timeOut("timeout", "no reply in time")
    else if (this.#phase === "receiving") this.#timeOut("silence", "the response stalled")
  }

  #timeOut(kind: UpstreamErrorKind, message: string): void {
    const listener = this.#listener
    this.destroy()
    listener?.onError(new UpstreamError(kind, new Error(message)))
  }

  #awaitResponse(): void {
    this.#phase = "waiting"
    this.#deadline = performance.now() + this.#timeouts.firstByte
  }

  #write(head: string, body: ConnectionRequest["body"]): void {
    const socket = this.#socket
    if (!socket.connecting) coalesceWrites(socket)
    if (body !== null && !Buffer.isBuffer(body)) {
      socket.write(head, "latin1")
      this.#isWritingBody = true
      writeStreamedRequestBody(socket, body, () => {
        this.#isWritingBody = false
      })
    } else if (body === null || body.length === 0) {
      socket.write(head, "latin1")
    } else if (head.length + body.length <= maxCoalescedBytes) {
      const message = Buffer.allocUnsafe(head.length + body.length)
      message.write(head, "latin1")
      body.copy(message, head.length)
      socket.write(message)
    } else {
      socket.cork()
      socket.write(head, "latin1")
      socket.write(body)
      socket.uncork()
    }
  }

  /** Parses `length` bytes of the shared buffer. @returns whether to keep reading */
  #onRead(length: number): boolean {
    if (this.#phase === "closed") return false
    try {
      this.#parser.push(readBuffer.subarray(0, length))
    } catch (error) {
      this.#failure = toError(error)
      this.#closeSocket()
    }
    if (this.#isResponseComplete) this.#completeResponse()
    if (this.#phase === "receiving") this.#deadline = performance.now() + this.#timeouts.idle
    return !this.#isPaused && !this.#socket.destroyed
  }

  /** The connection is reused only if the request was sent completely. */
  #completeResponse(): void {
    const listener = this.#listener
    this.#listener = null
    this.#isResponseComplete = false
    listener?.onEnd()
    const { destroyed, writableLength } = this.#socket
    const isRequestSent = !destroyed && writableLength === 0 && !this.#isWritingBody
    if (isRequestSent && this.#parser.isReusable) this.#becomeIdle()
    else this.#socket.destroy()
  }

  #becomeIdle(): void {
    const keepAliveSeconds = this.#parser.keepAliveSeconds
    const idleMs =
      keepAliveSeconds === null
        ? defaultIdleMs
        : Math.min(keepAliveSeconds * 1000 - idleMarginMs, maxIdleMs)
    if (idleMs <= 0) {
      this.#socket.destroy()
      return
    }
    this.#phase = "idle"
    if (this.#isPaused) {
      this.#isPaused = false
      this.#socket.resume()
    }
    this.#deadline = performance.now() + idleMs
    this.#deps.onIdle(this)
  }

  /** The server closed its sending side. */
  #onServerEnd(): void {
    if (this.#phase === "receiving") this.#parser.finish()
    if (this.#isResponseComplete) this.#completeResponse()
    this.#closeSocket()
  }

  /** Closes the connection. An idle one leaves the pool at once, before another request takes it. */
  #closeSocket(): void {
    if (this.#phase === "idle") this.destroy()
    else this.#socket.destroy()
  }

  #onClose(): void {
    if (this.#phase === "closed") return
    const hasHead = this.#phase === "receiving"
    this.#phase = "closed"
    this.#deps.onClosed(this)
    const listener = this.#listener
    this.#listener = null
    listener?.onError(
      classifyUpstreamError(
        this.#failure ?? new Error("the server closed the connection"),
        hasHead,
      ),
    )
  }
}
