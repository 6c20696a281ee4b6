import { deepStrictEqual, ok } from "node:assert/strict"
import { EventEmitter } from "node:events"
import type { Socket } from "node:net"
import { FastPathConnection } from "../src/server-connection.ts"
import type { FastPathRequest } from "../src/server-request.ts"
import type { FastPathResponse } from "../src/server-response.ts"
import { createGrammar, type Grammar } from "./grammar.ts"
import { createLlhttp, type ReadMessage } from "./llhttp.ts"
import { cut, mutate } from "./mutations.ts"
import { type Chooser, createChooser } from "./random.ts"

const hotTarget = "POST /v1/chat/completions"

const requestLine = (random: Chooser, { mostly, oneOf, lineEnd }: Grammar): string => {
  const target = random.chance(0.8)
    ? hotTarget
    : oneOf(
        ["GET /health", "POST /v1/models?x=1", "DELETE /v1/x", "HEAD /", "OPTIONS *"],
        [
          "GET http://here/",
          "POST //",
          "post /v1/chat/completions",
          "CONNECT here:1",
          "PRI *",
          "X /",
        ],
      )
  const gap = mostly(" ", ["  ", "\t", "", " \x0b"])
  const version = oneOf(
    ["HTTP/1.1"],
    [
      "HTTP/1.0",
      "HTTP/1.11",
      "http/1.1",
      "HTTP/2.0",
      "HTTP/0.9",
      "HTTP/1.1 ",
      "HTTP/1.1\t",
      "",
      "HTTQ/1.1",
    ],
  )
  const before = mostly("", ["\r\n", "\n", "\r", " "])
  return `${before}${target}${gap}${version}${lineEnd()}`
}

const requestText = (random: Chooser, oddness: number): string => {
  const grammar = createGrammar(random, oddness)
  const { mostly, field, cased, otherField, connectionField, framed, lineEnd } = grammar
  const host = () =>
    field(cased("Host"), mostly("here", ["a b", "", "here,there", "[::1]", "\x00"]))
  const hasBody = random.chance(0.9)
  const { fields, body } = hasBody
    ? framed(random.pick(["counted", "counted", "chunked"]))
    : { fields: [], body: "" }
  const others = [...fields, ...Array.from({ length: random.below(4) }, otherField)]
  if (!random.chance(oddness)) others.splice(random.below(others.length + 1), 0, host())
  if (random.chance(oddness)) others.push(host())
  if (random.chance(0.05)) others.push(connectionField())
  if (random.chance(oddness)) others.push(field(cased("Expect"), "100-continue"))
  if (random.chance(oddness)) others.push(field(cased("Upgrade"), "websocket"))
  return `${requestLine(random, grammar)}${others.join("")}${lineEnd()}${body}`
}

/** A request as parsed by either parser. */
interface Read {
  method: string
  url: string
  /** Lower-case names; repeated headers are joined. */
  headers: Record<string, string>
  /** Null while the body is incomplete. */
  body: string | null
}

const readOf = ({ method, url, rawHeaders, body, isWhole }: ReadMessage): Read => {
  const headers: Record<string, string> = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ""
    const value = rawHeaders[at + 1] ?? ""
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  return { method, url, headers, body: isWhole ? body : null }
}

/** The part of the socket API that the fast path uses, fed from a list of chunks. */
class FakeSocket extends EventEmitter {
  destroyed = false
  readonly writableCorked = 0
  readonly #pieces: Buffer[]
  #isPaused = false
  #isFlowing = false

  constructor(pieces: readonly Buffer[]) {
    super()
    this.#pieces = [...pieces]
  }

  cork(): void {}
  uncork(): void {}

  write(_bytes: Buffer, done?: () => void): boolean {
    if (done) queueMicrotask(done)
    return true
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    queueMicrotask(() => this.flow())
  }

  destroy(): void {
    this.destroyed = true
  }

  destroySoon(): void {
    this.destroyed = true
  }

  flow(): void {
    if (this.#isFlowing) return
    this.#isFlowing = true
    while (!this.#isPaused && !this.destroyed) {
      const piece = this.#pieces.shift()
      if (!piece) break
      this.emit("data", piece)
    }
    this.#isFlowing = false
  }

  get isDrained(): boolean {
    return this.#pieces.length === 0
  }
}

interface Ours {
  reads: Read[]
  /** Number of requests answered by the fast path. */
  plain: number
  refusal: Error | undefined
}

/** Requests parsed on one connection by the fast path and, after a handover, by Node's parser. */
const readOurs = async (random: Chooser, pieces: readonly Buffer[]): Promise<Ours> => {
  const socket = new FakeSocket(pieces)
  const plain: Read[] = []
  let delayed: ReturnType<typeof createLlhttp> | undefined
  const take = async (request: FastPathRequest, reply: FastPathResponse): Promise<void> => {
    const { method, url } = request
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value)
    const taken: Read = { method, url, headers, body: null }
    plain.push(taken)
    if (random.chance(0.3)) await undefined
    const chunks: Buffer[] = []
    const body = await request.readBody({
      push: (chunk) => void chunks.push(chunk),
      end: () => Buffer.concat(chunks),
    })
    taken.body = body.toString("latin1")
    reply.writeHead(200, ["content-length", "0"])
    reply.end()
  }
  new FastPathConnection(
    socket as unknown as Socket,
    {
      findRoute: (target) => (target === hotTarget ? target : undefined),
      isHostAllowed: () => true,
      respond: (_route, request, reply) => void take(request, reply),
      handOver: (_socket, bytes) => {
        const next = createLlhttp("request")
        delayed = next
        next.push(bytes)
        socket.on("data", (more: Buffer) => next.push(more))
      },
      keepAliveSeconds: () => 5,
      createDisconnectError: () => new Error("the client disconnected"),
      reportError: (error) => {
        throw error
      },
      onClosed: () => {},
    },
    0,
  )
  socket.flow()
  // Each turn of the event loop settles the promises of one request.
  for (let turn = 0; turn < 40; turn++) await undefined
  ok(socket.isDrained, "bytes were left unread")
  const reads = [...plain, ...(delayed?.messages.map(readOf) ?? [])]
  return { reads, plain: plain.length, refusal: delayed?.refusal() }
}

const compare = (ours: Ours, whole: ReadMessage[], refusal: Error | undefined): void => {
  deepStrictEqual(ours.reads, whole.map(readOf))
  for (const message of whole.slice(0, ours.plain)) {
    ok(message.isKept && !message.isUpgrade, "the fast path keeps what llhttp closes or upgrades")
  }
  deepStrictEqual(ours.refusal?.message, refusal?.message)
}

export type Verdict = "plain" | "mixed" | "handed over" | "refused"

/**
 * Compares a sequence of requests, split at random, as parsed by the fast path with handover to
 * Node's parser, and by Node's parser alone.
 * @throws {Error} if the parsed requests differ
 */
export const compareRequests = async (seed: number): Promise<Verdict> => {
  const random = createChooser(seed)
  const oddness = random.pick([0, 0.005, 0.03])
  const texts = Array.from({ length: 1 + random.below(3) }, () => requestText(random, oddness))
  const text = Buffer.from(texts.join(""), "latin1")
  const bytes = random.chance(0.3) ? mutate(random, text) : text
  const isInTurn = bytes === text && random.chance(0.4)
  const pieces = isInTurn ? texts.map((one) => Buffer.from(one, "latin1")) : cut(random, bytes)
  const theirs = createLlhttp("request")
  for (const piece of pieces) theirs.push(piece)
  const messages = [...theirs.messages]
  const refusal = theirs.refusal()
  const ours = await readOurs(random, pieces)
  try {
    compare(ours, messages, refusal)
  } catch (error) {
    throw new Error(`seed ${seed}: ${JSON.stringify(bytes.toString("latin1"))}`, { cause: error })
  }
  if (refusal) return "refused"
  if (ours.plain === messages.length) return "plain"
  return ours.plain > 0 ? "mixed" : "handed over"
}
