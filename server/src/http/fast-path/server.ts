import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { ConnectionLimit } from "../connection-limit.ts"
import type { HostCheck } from "../host-check.ts"
import { createRequestContext, type RequestContextDeps } from "../request-context.ts"
import { FastPathConnection, type FastPathDeps } from "./connection.ts"
import { type FastPathRoutes, respondFastPath } from "./routes.ts"

const checkMs = 1000
/** While draining, for the first request of a connection that was just made. */
const firstRequestMs = 1000

interface Deps {
  opening: RequestContextDeps
  fastPathRoutes: FastPathRoutes
  checkHost: HostCheck
  connectionLimit: ConnectionLimit
}

/**
 * Stands before Node's server: plain requests to hot routes are read and answered here, which costs
 * less. A connection on which anything else comes goes on to it with all that was read, and stays.
 */
export const createFastPathServer = ({
  opening,
  fastPathRoutes: lane,
  checkHost,
  connectionLimit,
}: Deps) => {
  const connections = new Set<FastPathConnection>()
  let keptSeconds = 0
  let passToNode: (socket: Socket) => void = () => {}

  const deps: FastPathDeps = {
    find: lane.find,
    isHostAllowed: (host) => checkHost(host) === undefined,
    answer: (route, incoming, outgoing, read) =>
      respondFastPath(route, createRequestContext(opening, incoming, outgoing), read),
    handOver: (socket, read) => {
      socket.pause()
      socket.unshift(read)
      passToNode(socket)
      socket.resume()
    },
    keepAliveSeconds: () => keptSeconds,
    onClosed: (connection) => void connections.delete(connection),
  }

  return {
    /** Takes the connections of a server, and leaves to it those that are not for here. */
    attach: (server: Server): void => {
      keptSeconds = Math.floor(server.keepAliveTimeout / 1000)
      const own = server.listeners("connection")
      passToNode = (socket) => {
        for (const listener of own) listener.call(server, socket)
      }
      server.removeAllListeners("connection")
      server.on("connection", (socket: Socket) => {
        if (!connectionLimit.admit(socket)) return
        connections.add(new FastPathConnection(socket, deps, performance.now()))
      })
      const timer = setInterval(() => {
        const now = performance.now()
        for (const connection of connections) connection.check(now)
      }, checkMs).unref()
      server.once("close", () => clearInterval(timer))
    },

    /** From now on every reply is the last one of its connection. */
    drain: (): void => {
      keptSeconds = 0
      for (const connection of connections) {
        if (connection.isIdle && !connection.isNew) connection.destroy()
      }
      setTimeout(() => {
        for (const connection of connections) if (connection.isNew) connection.destroy()
      }, firstRequestMs).unref()
    },

    /** Cuts what is left. */
    closeAll: (): void => {
      for (const connection of connections) connection.destroy()
    },
  }
}
