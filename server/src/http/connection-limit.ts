import type { Socket } from "node:net"
import { type Bounds, checkBounds } from "../concurrency/user-limit.ts"
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

  const refuse = (socket: Socket, error: unknown): void => {
    const body = errorBody("openai", toFailure(error))
    const head = [
      "HTTP/1.1 429 Too Many Requests",
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
      "retry-after: 5",
      "connection: close",
    ]
    socket.on("error", () => socket.destroy())
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy())
  }

  return {
    /** @returns false for one connection too many, which is answered and closed */
    admit: (socket: Socket): boolean => {
      const address = socket.remoteAddress ?? ""
      const isCounted = !isTrusted(address)
      const strangers = isCounted ? (strangersByAddress.get(address) ?? 0) + 1 : 0
      try {
        checkBounds(limit, { perUser: strangers, total: all + 1 })
      } catch (error) {
        refuse(socket, error)
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
