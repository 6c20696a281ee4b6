import {
  ClientConnection,
  type ConnectionListener,
  type ConnectionRequest,
  type ConnectionTimeouts,
  type Peer,
} from "./connection.ts"

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
    for (const wire of all) wire.check(now)
  }

  const add = (timeouts: ConnectionTimeouts): ClientConnection => {
    const wire = new ClientConnection(deps, timeouts, performance.now())
    all.add(wire)
    timer ??= setInterval(check, checkMs).unref()
    return wire
  }

  const deps = {
    peer,
    get session() {
      return session
    },
    sessionMade: (made: Buffer) => {
      session = made
    },
    freed: (wire: ClientConnection) => {
      if (retired) wire.cut()
      else free.push(wire)
    },
    closed: (wire: ClientConnection) => {
      all.delete(wire)
      const at = free.lastIndexOf(wire)
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
      listener: ConnectionListener,
      timeouts: ConnectionTimeouts,
    ): ClientConnection => {
      if (retired) throw new TypeError("the connection pool is closed")
      const wire = free.pop() ?? add(timeouts)
      wire.send(request, { listener, timeouts: timeouts })
      return wire
    },

    /** Rejects new requests; requests in flight may finish. */
    retire: (): void => {
      retired = true
      for (const wire of free.splice(0)) wire.cut()
    },

    /** Rejects new requests and aborts those in flight. */
    close: (): void => {
      retired = true
      for (const wire of [...all]) wire.end()
    },
  }
}
