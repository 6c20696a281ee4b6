import type { IncomingHttpHeaders } from "node:http"
import type { Socket } from "node:net"
import { contain, type Failure, report } from "../../errors.ts"
import { leftMidway, takeTurns } from "../body.ts"
import { BodyBuffer, type JsonBody } from "../body-buffer.ts"
import type { Incoming } from "../request-context.ts"
import { type PlainHead, readPlainHead } from "./request-parser.ts"
import { PlainReply } from "./response.ts"
import type { HotRoute, ReadBody } from "./routes.ts"

/** Of a body that nobody asked for yet, and of what comes after the request. */
const maxReadAheadBytes = 64 * 1024
/** How long a whole request may take to arrive, as for Node's server. */
const requestMs = 300_000

export interface PlainDeps {
  find: (target: string) => HotRoute | undefined
  isHostAllowed: (host: string | undefined) => boolean
  answer: (route: HotRoute, incoming: Incoming, outgoing: PlainReply, read: ReadBody) => void
  /** Leaves the connection, with what was read of it, to a server that knows all of HTTP. */
  handOver: (socket: Socket, read: Buffer) => void
  /** Seconds for which an idle connection is kept; 0 while the gateway is stopping. */
  keptSeconds: () => number
  gone: (connection: PlainConnection) => void
}

interface Waiting {
  body: BodyBuffer
  resolve: (body: JsonBody) => void
  reject: (reason: unknown) => void
}

/** A request that came the plain way; its body comes by `read`. */
class PlainRequest implements Incoming {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
  readonly #length: number
  #left: number
  /** That came before anybody asked for them. */
  #chunks: Buffer[] = []
  #waiting: Waiting | null = null
  /** Nobody will read it. */
  #unwanted = false
  #failure: Failure | null = null

  constructor({ method, url, headers, length }: PlainHead<unknown>, socket: Socket) {
    this.method = method
    this.url = url
    this.headers = headers
    this.socket = socket
    this.#length = length
    this.#left = length
  }

  get isWhole(): boolean {
    return this.#left === 0
  }

  /** Whether more of the body would only lie here. */
  get isAhead(): boolean {
    const here = this.#length - this.#left
    return this.#left > 0 && !this.#unwanted && !this.#waiting && here > maxReadAheadBytes
  }

  /** Whether it comes in chunks that each take their time. */
  get isLarge(): boolean {
    return this.#waiting?.body.isLarge === true
  }

  /** @returns how much of `bytes` was its */
  take(bytes: Buffer): number {
    const taken = Math.min(this.#left, bytes.length)
    this.#left -= taken
    const own = taken === bytes.length ? bytes : bytes.subarray(0, taken)
    if (this.#waiting) this.#gather(this.#waiting, own)
    else if (!this.#unwanted && taken > 0) this.#chunks.push(own)
    return taken
  }

  readonly read: ReadBody = (limits) => {
    if (this.#failure) throw this.#failure
    const body = new BodyBuffer(limits, this.#length)
    for (const chunk of this.#chunks) body.push(chunk)
    this.#chunks = []
    if (this.#left === 0) return body.end()
    return new Promise((resolve, reject) => {
      this.#waiting = { body, resolve, reject }
      this.socket.resume()
    })
  }

  #gather({ body, resolve, reject }: Waiting, chunk: Buffer): void {
    try {
      body.push(chunk)
      if (this.#left > 0) return
      resolve(body.end())
    } catch (error) {
      this.#unwanted = true
      reject(error)
    }
    this.#waiting = null
  }

  /** Its reply is over, or its client is. */
  drop(failure?: Failure): void {
    this.#unwanted = true
    this.#chunks = []
    if (failure) this.#waiting?.reject(failure)
    this.#failure = failure ?? null
    this.#waiting = null
  }
}

/**
 * A client's connection on which plain requests to hot routes are answered, one after another. The
 * first that is anything else takes the connection along to Node's own server.
 */
export class PlainConnection {
  readonly #socket: Socket
  readonly #needs: PlainDeps
  #request: PlainRequest | null = null
  #reply: PlainReply | null = null
  /** Came before its turn. */
  #early: Buffer | null = null
  #deadline = 0
  #asked = false

  constructor(socket: Socket, deps: PlainDeps, now: number) {
    this.#socket = socket
    this.#needs = deps
    this.#deadline = now + Math.max(1, deps.keptSeconds()) * 1000
    socket.on("data", this.#take)
    socket.on("drain", this.#drained)
    socket.on("end", this.#ended)
    socket.on("error", this.#broke)
    socket.on("close", this.#closed)
  }

  get isIdle(): boolean {
    return this.#reply === null && this.#request === null
  }

  /** Whether nothing came on it yet: its first request may be on the way. */
  get isNew(): boolean {
    return !this.#asked
  }

  /** Ends it when its time is up. */
  check(now: number): void {
    if (now < this.#deadline) return
    if (this.isIdle || this.#request?.isWhole === false) this.#socket.destroy()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  readonly #take = (bytes: Buffer): void => contain(() => this.#read(bytes), this.#failed)

  #read(bytes: Buffer): void {
    if (this.isIdle) {
      this.#asked = true
      this.#begin(bytes)
      return
    }
    const taken = this.#request?.take(bytes) ?? 0
    if (taken < bytes.length) this.#keep(bytes.subarray(taken))
    if (this.#request?.isAhead) this.#socket.pause()
    else if (this.#request?.isLarge) takeTurns(this.#socket)
    else if (!this.#reply) this.#next()
  }

  #begin(bytes: Buffer): void {
    const head = readPlainHead(bytes, this.#needs.find)
    if (!head || !this.#needs.isHostAllowed(head.headers.host)) {
      this.#handOver(bytes)
      return
    }
    const socket = this.#socket
    const request = new PlainRequest(head, socket)
    const reply = new PlainReply({
      socket,
      keptSeconds: this.#needs.keptSeconds,
      closed: this.#replied,
    })
    this.#request = request
    this.#reply = reply
    this.#deadline = performance.now() + requestMs
    const rest = bytes.subarray(head.end)
    const taken = request.take(rest)
    if (taken < rest.length) this.#keep(rest.subarray(taken))
    this.#needs.answer(head.wanted, request, reply, request.read)
    if (request.isAhead) socket.pause()
  }

  /** A client may send its next request before it has the reply to this one (RFC 9112 §9.3.2). */
  #keep(bytes: Buffer): void {
    this.#early = this.#early ? Buffer.concat([this.#early, bytes]) : bytes
    if (this.#early.length > maxReadAheadBytes) this.#socket.pause()
  }

  readonly #replied = (keep: boolean): void => {
    this.#reply = null
    this.#request?.drop(keep ? undefined : leftMidway())
    if (!keep) this.#socket.destroySoon()
    else if (this.#request?.isWhole === false) this.#socket.resume()
    else this.#next()
  }

  /** The request and its reply are over. */
  #next(): void {
    if (this.#request?.isWhole === false) return
    this.#request = null
    const early = this.#early
    this.#early = null
    const kept = this.#needs.keptSeconds()
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
    socket.off("error", this.#broke)
    socket.off("close", this.#closed)
    this.#needs.gone(this)
    this.#needs.handOver(socket, bytes)
  }

  readonly #drained = (): void => {
    this.#reply?.drained()
  }

  /** A fault of ours ends the connection, and nothing else. */
  readonly #failed = (error: unknown): void => {
    this.#socket.destroy()
    report(error)
  }

  /** Who sends no more will not read either, as Node's server takes it; but what was said is said. */
  readonly #ended = (): void => {
    if (this.#reply && !this.#reply.writableEnded) this.#socket.destroy()
    else this.#socket.destroySoon()
  }

  readonly #broke = (): void => {
    this.#socket.destroy()
  }

  readonly #closed = (): void => {
    this.#needs.gone(this)
    const reply = this.#reply
    this.#request?.drop(leftMidway())
    reply?.close()
  }
}
