import type { Server } from "node:http"
import type { Socket } from "node:net"
import { createRequestStallDetector } from "./request-stall-detector.ts"
import { type ConnectionDeps, FastPathConnection } from "./server-connection.ts"

const checkMs = 1000
const stallCheckMs = 250
/** While draining, time for a new connection to send its first request. */
const firstRequestTimeoutMs = 1000

interface ServerDeps<Route>
  extends Omit<ConnectionDeps<Route>, "handOver" | "keepAliveSeconds" | "onClosed"> {
  /** Whether to serve a new connection; otherwise the callee has answered and closed it. */
  admit: (socket: Socket) => boolean
}

/**
 * Serves simple requests to some routes in front of Node's HTTP server, at a lower cost. The first
 * request of any other kind hands its connection over to Node's server for good.
 */
export const createFastPathServer = <Route>({ admit, ...deps }: ServerDeps<Route>) => {
  const connections = new Set<FastPathConnection<Route>>()
  const isStalled = createRequestStallDetector()
  let stallTimer: NodeJS.Timeout | undefined
  let keepAliveSeconds = 0
  let passToNode: (socket: Socket) => void = () => {}

  const connectionDeps: ConnectionDeps<Route> = {
    ...deps,
    handOver: (socket, read) => {
      socket.pause()
      socket.unshift(read)
      passToNode(socket)
      socket.resume()
    },
    keepAliveSeconds: () => keepAliveSeconds,
    onClosed: (connection) => void connections.delete(connection),
  }

  return {
    /** Takes over a server's new connections; those handed over go to its own listeners. */
    attach: (server: Server): void => {
      keepAliveSeconds = Math.floor(server.keepAliveTimeout / 1000)
      const nodeListeners = server.listeners("connection")
      passToNode = (socket) => {
        for (const listener of nodeListeners) listener.call(server, socket)
      }
      server.removeAllListeners("connection")
      server.on("connection", (socket: Socket) => {
        if (!admit(socket)) return
        connections.add(new FastPathConnection(socket, connectionDeps, performance.now()))
      })
      const timer = setInterval(() => {
        const now = performance.now()
        for (const connection of connections) connection.check(now)
      }, checkMs).unref()
      server.once("close", () => {
        clearInterval(timer)
        clearInterval(stallTimer)
      })
    },

    /** Makes each response the last one of its connection, and ends requests that stall. */
    drain: (): void => {
      keepAliveSeconds = 0
      stallTimer = setInterval(() => {
        const now = performance.now()
        for (const connection of connections) connection.destroyIfStalled(isStalled, now)
      }, stallCheckMs).unref()
      for (const connection of connections) {
        if (connection.isIdle && !connection.isNew) connection.destroy()
      }
      setTimeout(() => {
        for (const connection of connections) if (connection.isNew) connection.destroy()
      }, firstRequestTimeoutMs).unref()
    },

    /** Closes all remaining connections. */
    closeAll: (): void => {
      for (const connection of connections) connection.destroy()
    },
  }
}
