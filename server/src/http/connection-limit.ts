import type { Socket } from "node:net"
import {
  createUserLimit,
  totalLimitFailure,
  type UserAndTotal,
  userLimitFailure,
} from "../concurrency/user-limit.ts"
import { formatRejection } from "./bad-requests.ts"
import { networkOf } from "./client-address.ts"

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
export const createConnectionLimit = ({ bounds, maxPerUser, isTrusted }: Deps) => {
  const anonymousByNetwork = new Map<string, number>()
  const ownerBySocket = new Map<object, ConnectionOwner>()
  const total = Number.POSITIVE_INFINITY
  const users = createUserLimit({ what, variable, bounds: { perUser: maxPerUser, total } })
  let all = 0
  const limit = { what, variable, bounds }

  const releaseAnonymous = (network: string): void => {
    const remaining = (anonymousByNetwork.get(network) ?? 0) - 1
    if (remaining > 0) anonymousByNetwork.set(network, remaining)
    else anonymousByNetwork.delete(network)
  }

  /** Formatted once, so that rejecting thousands of connections stays cheap. */
  const rejections = {
    perUser: Buffer.from(formatRejection(userLimitFailure(limit))),
    total: Buffer.from(formatRejection(totalLimitFailure(limit))),
  }
  const rejectionFor = (counts: UserAndTotal): Buffer | null => {
    if (counts.perUser > bounds.perUser) return rejections.perUser
    return counts.total > bounds.total ? rejections.total : null
  }

  const rejectSocket = (socket: Socket, response: Buffer): void => {
    socket.on("error", () => socket.destroy())
    socket.end(response, () => socket.destroy())
  }

  return {
    /** @returns false if the connection exceeds a limit; it is answered with 429 and closed */
    admit: (socket: Socket): boolean => {
      const address = socket.remoteAddress ?? ""
      const isCounted = !isTrusted(address)
      const network = networkOf(address)
      const anonymous = isCounted ? (anonymousByNetwork.get(network) ?? 0) + 1 : 0
      const rejection = rejectionFor({ perUser: anonymous, total: all + 1 })
      if (rejection) {
        rejectSocket(socket, rejection)
        return false
      }
      all++
      if (isCounted) {
        anonymousByNetwork.set(network, anonymous)
        const release = () => releaseAnonymous(network)
        ownerBySocket.set(socket, { isUser: false, release })
      }
      socket.once("close", () => {
        all--
        ownerBySocket.get(socket)?.release()
        ownerBySocket.delete(socket)
      })
      return true
    },

    /**
     * Counts a connection against its first authenticated user from now on.
     * @throws {Failure} `rate_limited` if the user has too many connections
     */
    assignToUser: (socket: object, user: string): void => {
      const owner = ownerBySocket.get(socket)
      if (!owner || owner.isUser) return
      const release = users.reserve(user)
      owner.release()
      ownerBySocket.set(socket, { isUser: true, release })
    },

    count: (): { all: number; anonymous: number } => ({
      all,
      anonymous: ownerBySocket.size - users.held(),
    }),
  }
}

export type ConnectionLimit = ReturnType<typeof createConnectionLimit>
