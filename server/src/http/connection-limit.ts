import type { Socket } from "node:net"
import { type Bounds, createUserLimit, excessOf } from "../limits/user-limit.ts"
import { networkOf } from "./client-address.ts"
import { errorBody, toFailure } from "./errors.ts"

interface Deps {
  /** Of one address, until somebody is known on a connection; and all there are. */
  bounds: Bounds
  /** Of one user who is known on them. */
  maxOfUser: number
  /** Proxies, which bring many people's connections. */
  isTrusted: (address: string) => boolean
}

/** Whose a connection is: of an address, until a user is known on it. */
interface Holder {
  isUser: boolean
  release: () => void
}

const what = "connections of clients"
const variable = "MAX_CONNECTIONS"

/** Bounds the connections of clients: whoever only opens them keeps nobody else out. */
export const createConnectionLimit = ({ bounds, maxOfUser, isTrusted }: Deps) => {
  const strangersByNetwork = new Map<string, number>()
  const holderBySocket = new Map<object, Holder>()
  const total = Number.POSITIVE_INFINITY
  const users = createUserLimit({ what, variable, bounds: { perUser: maxOfUser, total } })
  let all = 0
  const limit = { what, variable, bounds }

  const forgetStranger = (network: string): void => {
    const left = (strangersByNetwork.get(network) ?? 0) - 1
    if (left > 0) strangersByNetwork.set(network, left)
    else strangersByNetwork.delete(network)
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
      const network = networkOf(address)
      const strangers = isCounted ? (strangersByNetwork.get(network) ?? 0) + 1 : 0
      const refusal = refusalFor({ perUser: strangers, total: all + 1 })
      if (refusal) {
        refuse(socket, refusal)
        return false
      }
      all++
      if (isCounted) {
        strangersByNetwork.set(network, strangers)
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
     * Notes who is known on a connection; it stays theirs.
     * @throws {Failure} `rate_limited` when they have too many
     */
    authenticated: (socket: object, user: string): void => {
      const holder = holderBySocket.get(socket)
      if (!holder || holder.isUser) return
      const release = users.reserve(user)
      holder.release()
      holderBySocket.set(socket, { isUser: true, release })
    },

    count: (): { all: number; strangers: number } => ({
      all,
      strangers: holderBySocket.size - users.held(),
    }),
  }
}

export type ConnectionLimit = ReturnType<typeof createConnectionLimit>
