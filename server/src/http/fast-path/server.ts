import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { ConnectionLimit } from "../connection-limit.ts"
import type { HostCheck } from "../host-check.ts"
import { createRequestContext, type RequestContextDeps } from "../request-context.ts"
import { FastPathConnection, type FastPathDeps } from "./connection.ts"
import { type FastPathRoutes, respondFastPath } from "./routes.ts"

const checkMs = 1000
/** While draining, time for a new connection to send its first request. */
const firstRequestMs = 1000

interface Deps {
  opening: RequestContextDeps
  fastPathRoutes: FastPathRoutes
  checkHost: HostCheck
  connectionLimit: ConnectionLimit
}

/**
 * Serves simple requests to fast-path routes in front of Node's HTTP server, at a lower cost. The
 * first request of any other kind hands its connection over to Node's server for good.
 */
export const createFastPathServer = ({
  opening,
  fastPathRoutes,
  checkHost,
  connectionLimit,
}: Deps) => {
  const connections = new Set<FastPathConnection>()
  let keptSeconds = 0
  let passToNode: (socket: Socket) => void = () => {}

  const deps: FastPathDeps = {
    find: fastPathRoutes.find,
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
    /** Takes over a server's new connections; those handed over go to its own listeners. */
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

    /** Makes each following response the last one of its connection. */
    drain: (): void => {
      keptSeconds = 0
      for (const connection of connections) {
        if (connection.isIdle && !connection.isNew) connection.destroy()
      }
      setTimeout(() => {
        for (const connection of connections) if (connection.isNew) connection.destroy()
      }, firstRequestMs).unref()
    },

    /** Closes all remaining connections. */
    closeAll: (): void => {
      for (const connection of connections) connection.destroy()
    },
  }
}
