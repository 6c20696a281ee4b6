import type { Socket } from "node:net"
import { createUserLimit, limitExceededFailure, type UserAndTotal } from "../limits/user-limit.ts"
import { networkOf } from "./client-address.ts"
import { errorBody, toFailure } from "./errors.ts"

interface Deps {
  /** `perUser`: unauthenticated connections per network; `total`: all connections. */
  bounds: UserAndTotal
  /** Connections authenticated as one user. */
  maxPerUser: number
  /** Trusted proxies carry connections of many users and are exempt. */
  isTrusted: (address: string) => boolean
}

/** What a connection counts against: its network until a user authenticates on it. */
interface ConnectionOwner {
  isUser: boolean
  release: () => void
}

const what = "connections of clients"
const variable = "MAX_CONNECTIONS"

/** Limits client connections so that a client that only opens them cannot lock out others. */
export const createConnectionLimit = ({ bounds, maxPerUser: maxOfUser, isTrusted }: Deps) => {
  const anonymousByNetwork = new Map<string, number>()
  const holderBySocket = new Map<object, ConnectionOwner>()
  const total = Number.POSITIVE_INFINITY
  const users = createUserLimit({ what, variable, bounds: { perUser: maxOfUser, total } })
  let all = 0
  const limit = { what, variable, bounds }

  const forgetStranger = (network: string): void => {
    const left = (anonymousByNetwork.get(network) ?? 0) - 1
    if (left > 0) anonymousByNetwork.set(network, left)
    else anonymousByNetwork.delete(network)
  }

  /** Cached so that rejecting thousands of connections stays cheap. */
  const refusals = new Map<keyof UserAndTotal, Buffer>()
  const rejectionFor = (counts: UserAndTotal): Buffer | null => {
    const isOver = counts.perUser > bounds.perUser || counts.total > bounds.total
    if (!isOver) return null
    const exceeded = counts.perUser > bounds.perUser ? "perUser" : "total"
    const known = refusals.get(exceeded)
    if (known) return known
    const made = createRejection(counts)
    refusals.set(exceeded, made)
    return made
  }
  const createRejection = (counts: UserAndTotal): Buffer => {
    const body = errorBody("openai", toFailure(limitExceededFailure(limit, counts)))
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
    /** @returns false if the connection exceeds a limit; it is answered with 429 and closed */
    admit: (socket: Socket): boolean => {
      const address = socket.remoteAddress ?? ""
      const isCounted = !isTrusted(address)
      const network = networkOf(address)
      const anonymous = isCounted ? (anonymousByNetwork.get(network) ?? 0) + 1 : 0
      const refusal = rejectionFor({ perUser: anonymous, total: all + 1 })
      if (refusal) {
        refuse(socket, refusal)
        return false
      }
      all++
      if (isCounted) {
        anonymousByNetwork.set(network, anonymous)
        const release = () => forgetStranger(network)
        holderBySocket.set(socket, { isUser: false, release })
      }
      socket.once("close", () => {
        all--
        holderBySocket.get(socket)?.release()
        holderBySocket.delete(socket)
      })
      return true
    },

    /**
     * Counts a connection against its first authenticated user from now on.
     * @throws {Failure} `rate_limited` if the user has too many connections
     */
    assignToUser: (socket: object, user: string): void => {
      const holder = holderBySocket.get(socket)
      if (!holder || holder.isUser) return
      const release = users.reserve(user)
      holder.release()
      holderBySocket.set(socket, { isUser: true, release })
    },

    count: (): { all: number; anonymous: number } => ({
      all,
      anonymous: holderBySocket.size - users.held(),
    }),
  }
}

export type ConnectionLimit = ReturnType<typeof createConnectionLimit>
