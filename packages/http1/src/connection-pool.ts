import {
  ClientConnection,
  type ConnectionRequest,
  type ConnectionTimeouts,
  type Peer,
} from "./client-connection.ts"
import type { ResponseHandler } from "./response-listener.ts"

/** How often timeouts are checked, and thus their precision. */
const checkMs = 100

/** Persistent connections to one upstream, one per concurrent request; unlimited in number. */
export const createConnectionPool = (peer: Peer) => {
  const connections = new Set<ClientConnection>()
  const idleConnections: ClientConnection[] = []
  let session: Buffer | undefined
  let isRetired = false
  let timer: NodeJS.Timeout | undefined

  const check = (): void => {
    const now = performance.now()
    for (const connection of connections) connection.check(now)
  }

  const add = (timeouts: ConnectionTimeouts): ClientConnection => {
    const connection = new ClientConnection(deps, timeouts, performance.now())
    connections.add(connection)
    timer ??= setInterval(check, checkMs).unref()
    return connection
  }

  const deps = {
    peer,
    get session() {
      return session
    },
    onSession: (newSession: Buffer) => {
      session = newSession
    },
    onIdle: (connection: ClientConnection) => {
      if (isRetired) connection.destroy()
      else idleConnections.push(connection)
    },
    onClosed: (connection: ClientConnection) => {
      connections.delete(connection)
      const index = idleConnections.lastIndexOf(connection)
      if (index >= 0) idleConnections.splice(index, 1)
      if (connections.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
  }

  return {
    /**
     * Sends a request on the most recently used idle connection, so that surplus ones time out.
     * @throws {TypeError} after `retire` or `close`
     */
    send: (
      request: ConnectionRequest,
      listener: ResponseHandler,
      timeouts: ConnectionTimeouts,
    ): ClientConnection => {
      if (isRetired) throw new TypeError("the connection pool is closed")
      const connection = idleConnections.pop() ?? add(timeouts)
      connection.send(request, { listener, timeouts })
      return connection
    },

    /** Rejects new requests; requests in flight may finish. */
    retire: (): void => {
      isRetired = true
      for (const connection of idleConnections.splice(0)) connection.destroy()
    },

    /** Rejects new requests and aborts those in flight. */
    close: (): void => {
      isRetired = true
      for (const connection of [...connections]) connection.abort()
    },
  }
}
