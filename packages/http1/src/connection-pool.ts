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
  const all = new Set<ClientConnection>()
  const free: ClientConnection[] = []
  let session: Buffer | undefined
  let retired = false
  let timer: NodeJS.Timeout | undefined

  const check = (): void => {
    const now = performance.now()
    for (const connection of all) connection.check(now)
  }

  const add = (timeouts: ConnectionTimeouts): ClientConnection => {
    const connection = new ClientConnection(deps, timeouts, performance.now())
    all.add(connection)
    timer ??= setInterval(check, checkMs).unref()
    return connection
  }

  const deps = {
    peer,
    get session() {
      return session
    },
    sessionMade: (made: Buffer) => {
      session = made
    },
    freed: (connection: ClientConnection) => {
      if (retired) connection.cut()
      else free.push(connection)
    },
    closed: (connection: ClientConnection) => {
      all.delete(connection)
      const at = free.lastIndexOf(connection)
      if (at >= 0) free.splice(at, 1)
      if (all.size > 0) return
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
      if (retired) throw new TypeError("the connection pool is closed")
      const connection = free.pop() ?? add(timeouts)
      connection.send(request, { listener, timeouts })
      return connection
    },

    /** Rejects new requests; requests in flight may finish. */
    retire: (): void => {
      retired = true
      for (const connection of free.splice(0)) connection.cut()
    },

    /** Rejects new requests and aborts those in flight. */
    close: (): void => {
      retired = true
      for (const connection of [...all]) connection.end()
    },
  }
}
