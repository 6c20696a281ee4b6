import { connect, type Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import type { Chooser } from "../../test/harness/random.ts"

/** An HTTP/1.1 request as bytes. */
export interface Wire {
  bytes: Buffer
  /** Length of the request line and headers in bytes. */
  headLength: number
}

export interface WireParts {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: Buffer | undefined
}

/** Maximum size of a chunk in bytes. */
const maxChunk = 50_000

const inChunks = (random: Chooser, body: Buffer): Buffer => {
  const pieces: (Buffer | string)[] = []
  for (let at = 0; at < body.length; ) {
    const piece = body.subarray(at, at + 1 + random.below(maxChunk))
    pieces.push(`${piece.length.toString(16)}\r\n`, piece, "\r\n")
    at += piece.length
  }
  return Buffer.concat([...pieces, "0\r\n\r\n"].map((piece) => Buffer.from(piece)))
}

/** Encodes a request, with a Content-Length or chunked at random. */
export const wireOf = (random: Chooser, { method, path, headers, body }: WireParts): Wire => {
  const chunked = body !== undefined && random.chance(0.3)
  const length =
    method === "GET" || method === "HEAD" ? [] : [`content-length: ${body?.length ?? 0}`]
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "host: localhost",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(chunked ? ["transfer-encoding: chunked"] : length),
  ]
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1")
  const rest = chunked ? inChunks(random, body) : (body ?? Buffer.alloc(0))
  return { bytes: Buffer.concat([head, rest]), headLength: head.length }
}

/** Number of bytes to send: ends in the headers, in the body, or after it. */
const breakingPoint = (random: Chooser, { bytes, headLength }: Wire): number => {
  if (random.chance(0.35)) return bytes.length
  if (random.chance(0.2)) return random.below(headLength)
  return headLength + random.below(bytes.length - headLength + 1)
}

/** Disconnects by RST, by closing both directions, or by a half-close followed by a close. */
const leave = async (random: Chooser, socket: Socket): Promise<void> => {
  if (random.chance(0.45)) socket.resetAndDestroy()
  else if (random.chance(0.7)) socket.destroy()
  else {
    socket.end()
    await wait(random.below(20))
    socket.destroy()
  }
}

/**
 * Sends all or part of a request and disconnects within 90 ms: while it is being read, while
 * it is being processed, or during the reply, which may be left unread.
 */
export const hangUp = async (random: Chooser, url: string, wire: Wire): Promise<void> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  const closed = new Promise((resolve) => socket.once("close", resolve))
  if (random.chance(0.5)) socket.resume()
  const sent = wire.bytes.subarray(0, breakingPoint(random, wire))
  const pause = random.chance(0.3) ? random.below(sent.length + 1) : sent.length
  socket.write(sent.subarray(0, pause))
  if (pause < sent.length) {
    await wait(random.below(10))
    socket.write(sent.subarray(pause))
  }
  await wait(random.below(random.chance(0.5) ? 3 : 60))
  await leave(random, socket)
  await closed
}
