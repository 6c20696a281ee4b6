import type { Socket } from "node:net"
import { type Bounds, excessOf } from "../concurrency/user-limit.ts"
import { errorBody, toFailure } from "./errors.ts"

interface Dependencies {
  /** Of one address, until somebody is known on a connection; and all there are. */
  bounds: Bounds
  /** Proxies, which bring many people's connections. */
  isTrusted: (address: string) => boolean
}

/** Bounds the connections of clients: whoever only opens them keeps nobody else out. */
export const createConnectionLimit = ({ bounds, isTrusted }: Dependencies) => {
  const strangersByAddress = new Map<string, number>()
  const addressBySocket = new Map<object, string>()
  let all = 0
  const limit = { what: "connections of clients", variable: "MAX_CONNECTIONS", bounds }

  const forget = (socket: object): void => {
    const address = addressBySocket.get(socket)
    if (address === undefined) return
    addressBySocket.delete(socket)
    const left = (strangersByAddress.get(address) ?? 0) - 1
    if (left > 0) strangersByAddress.set(address, left)
    else strangersByAddress.delete(address)
  }

  /** Made once: whoever opens thousands must not cost much more than the opening. */
  const refusals = new Map<keyof Bounds, Buffer>()
  const refusalFor = (counts: Bounds): Buffer | null => {
    const isOver = counts.perUser > bounds.perUser || counts.total > bounds.total
    if (!isOver) return null
    const exceeded = counts.perUser > bounds.perUser ? "perUser" : "total"
    const known = refusals.get(exceeded)
    if (known) return known
    const made = refusalOf(counts)
    refusals.set(exceeded, made)
    return made
  }
  const refusalOf = (counts: Bounds): Buffer => {
    const body = errorBody("openai", toFailure(excessOf(limit, counts)))
    const head = [
      "HTTP/1.1 429 Too Many Requests",
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
      "retry-after: 5",
      "connection: close",
    ]
    return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`)
  }

  const refuse = (socket: Socket, words: Buffer): void => {
    socket.on("error", () => socket.destroy())
    socket.end(words, () => socket.destroy())
  }

  return {
    /** @returns false for one connection too many, which is answered and closed */
    admit: (socket: Socket): boolean => {
      const address = socket.remoteAddress ?? ""
      const isCounted = !isTrusted(address)
      const strangers = isCounted ? (strangersByAddress.get(address) ?? 0) + 1 : 0
      const refusal = refusalFor({ perUser: strangers, total: all + 1 })
      if (refusal) {
        refuse(socket, refusal)
        return false
      }
      all++
      if (isCounted) {
        strangersByAddress.set(address, strangers)
        addressBySocket.set(socket, address)
      }
      socket.once("close", () => {
        all--
        forget(socket)
      })
      return true
    },

    /** Somebody is known on it now. */
    authenticated: (socket: object): void => {
      if (addressBySocket.size > 0) forget(socket)
    },

    count: (): { all: number; strangers: number } => ({ all, strangers: addressBySocket.size }),
  }
}

export type ConnectionLimit = ReturnType<typeof createConnectionLimit>
