import { connect as connectPlainly, isIP, type Socket } from "node:net"
import { connect as connectSecurely } from "node:tls"
import type { ResponseHandler } from "./response-listener.ts"
import { ResponseParser } from "./response-parser.ts"
import { type StreamedBody, writeStreamedBody } from "./streamed-request-body.ts"
import {
  asError,
  classifyUpstreamError,
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
  body: Buffer | StreamedBody | null
  /** Whether the response has no body, whatever its headers say (HEAD). */
  bodiless: boolean
}

/** Head and body up to this total size are copied into one buffer for a single write. */
const maxCoalescedBytes = 32 * 1024
/** Idle time without a `keep-alive` header; most servers close after 5 s. */
const keptMs = 4000
const maxKeptMs = 600_000
/** Subtracted from the server's timeout: it is imprecise, and a request takes time to arrive. */
const marginMs = 1000

/** Shared by all connections: the parser copies what it keeps before the next read. */
const shared = Buffer.allocUnsafeSlow(64 * 1024)

type Phase = "connecting" | "waiting" | "receiving" | "idle" | "closed"

interface Deps {
  peer: Peer
  session: Buffer | undefined
  /** Called when the connection can take another request. */
  freed: (connection: ClientConnection) => void
  closed: (connection: ClientConnection) => void
  sessionMade: (session: Buffer) => void
}

const open = ({ peer, session }: Deps, take: (length: number) => boolean): Socket => {
  const { secure, name, address, port } = peer
  const target = { host: address, port, noDelay: true, onread: { buffer: shared, callback: take } }
  if (!secure) return connectPlainly(target)
  return connectSecurely({
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
  #paused = false
  /** The response is complete, but bytes after it in the same read may still be invalid. */
  #whole = false
  /** A streamed request body is still being sent. */
  #writing = false
  #deadline: number
  #failure: Error | null = null

  constructor(deps: Deps, timeouts: ConnectionTimeouts, now: number) {
    this.#deps = deps
    this.#timeouts = timeouts
    this.#deadline = now + timeouts.connect
    this.#parser = new ResponseParser({
      head: (status, rawHeaders) => {
        this.#phase = "receiving"
        this.#listener?.onHead(status, rawHeaders)
      },
      data: (chunk) => {
        if (this.#listener?.onData(chunk) === false) this.#paused = true
      },
      end: () => {
        this.#whole = true
      },
    })
    const socket = open(deps, (length) => this.#take(length))
    this.#socket = socket
    socket.once(deps.peer.secure ? "secureConnect" : "connect", () => this.#connected())
    socket.on("error", (error) => {
      this.#failure ??= error
    })
    socket.once("end", () => this.#ended())
    socket.once("close", () => this.#close())
    if (deps.peer.secure) socket.on("session", deps.sessionMade)
  }

  /**
   * Sends a request. The connection must be new or passed to `freed` since the last one. The
   * listener must not throw.
   */
  send(
    { head, body, bodiless }: ConnectionRequest,
    { listener, timeouts }: { listener: ResponseHandler; timeouts: ConnectionTimeouts },
  ): void {
    this.#listener = listener
    this.#timeouts = timeouts
    this.#parser.expect(bodiless)
    if (this.#phase !== "connecting") this.#wait()
    this.#write(head, body)
  }

  resume(): void {
    if (!this.#paused || this.#phase === "closed") return
    this.#paused = false
    this.#deadline = performance.now() + this.#timeouts.idle
    this.#socket.resume()
  }

  /** Closes the connection immediately, without notifying the listener. */
  cut(): void {
    this.#listener = null
    this.#socket.destroy()
    this.#close()
  }

  /** Closes the connection immediately; the listener receives `onError`. */
  end(): void {
    this.#socket.destroy()
  }

  /** Closes the connection if its current deadline has passed. */
  check(now: number): void {
    if (now < this.#deadline || this.#paused) return
    if (this.#phase === "idle") this.cut()
    else if (this.#phase === "connecting") this.#giveUp("unreachable", "no connection in time")
    else if (this.#phase === "waiting") this.#giveUp("timeout", "no reply in time")
    else if (this.#phase === "receiving") this.#giveUp("silence", "the response stalled")
  }

  #giveUp(kind: UpstreamErrorKind, message: string): void {
    const listener = this.#listener
    this.cut()
    listener?.onError(new UpstreamError(kind, new Error(message)))
  }

  #connected(): void {
    if (this.#phase === "connecting") this.#wait()
  }

  #wait(): void {
    this.#phase = "waiting"
    this.#deadline = performance.now() + this.#timeouts.firstByte
  }

  #write(head: string, body: ConnectionRequest["body"]): void {
    const socket = this.#socket
    if (!socket.connecting) coalesceWrites(socket)
    if (body !== null && !Buffer.isBuffer(body)) {
      socket.write(head, "latin1")
      this.#writing = true
      writeStreamedBody(socket, body, () => {
        this.#writing = false
      })
    } else if (body === null || body.length === 0) {
      socket.write(head, "latin1")
    } else if (head.length + body.length <= maxCoalescedBytes) {
      const whole = Buffer.allocUnsafe(head.length + body.length)
      whole.write(head, "latin1")
      body.copy(whole, head.length)
      socket.write(whole)
    } else {
      socket.cork()
      socket.write(head, "latin1")
      socket.write(body)
      socket.uncork()
    }
  }

  /** Parses `length` bytes of the shared buffer. @returns whether to keep reading */
  #take(length: number): boolean {
    if (this.#phase === "closed") return false
    try {
      this.#parser.push(shared.subarray(0, length))
    } catch (error) {
      this.#failure = asError(error)
      this.#drop()
    }
    if (this.#whole) this.#end()
    if (this.#phase === "receiving") this.#deadline = performance.now() + this.#timeouts.idle
    return !this.#paused && !this.#socket.destroyed
  }

  /** The connection is reused only if the request was sent completely. */
  #end(): void {
    const listener = this.#listener
    this.#listener = null
    this.#whole = false
    listener?.onEnd()
    const { destroyed, writableLength } = this.#socket
    const sent = !destroyed && writableLength === 0 && !this.#writing
    if (sent && this.#parser.reusable) this.#free()
    else this.#socket.destroy()
  }

  #free(): void {
    const said = this.#parser.keepAlive
    const ms = said === null ? keptMs : Math.min(said * 1000 - marginMs, maxKeptMs)
    if (ms <= 0) {
      this.#socket.destroy()
      return
    }
    this.#phase = "idle"
    if (this.#paused) {
      this.#paused = false
      this.#socket.resume()
    }
    this.#deadline = performance.now() + ms
    this.#deps.freed(this)
  }

  /** The server closed its sending side. */
  #ended(): void {
    if (this.#phase === "receiving") this.#parser.finish()
    if (this.#whole) this.#end()
    this.#drop()
  }

  /** Closes the connection. An idle one leaves the pool at once, before another request takes it. */
  #drop(): void {
    if (this.#phase === "idle") this.cut()
    else this.#socket.destroy()
  }

  #close(): void {
    if (this.#phase === "closed") return
    const headSeen = this.#phase === "receiving"
    this.#phase = "closed"
    this.#deps.closed(this)
    const listener = this.#listener
    this.#listener = null
    listener?.onError(
      classifyUpstreamError(
        this.#failure ?? new Error("the server closed the connection"),
        headSeen,
      ),
    )
  }
}
