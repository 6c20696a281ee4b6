import { connect, type Socket } from "node:net"
import { createMessageReader } from "./message.ts"

export type Exchange = {
  /** Times are in ms of `performance.now()`. */
  sent: number
  /** First byte of the body. */
  first: number
  end: number
  bytes: number
  reads: number
  status: string
}

export type Connection = { send: () => void; close: () => void }

type Deps = {
  port: number
  /** Local loopback address, to simulate another machine. */
  from?: string
  request: Buffer
  /** Called once per `send`; `ok` is false if the connection closed before the end of the response. */
  done: (connection: Connection, exchange: Exchange, ok: boolean) => void
}

/** Read buffer shared by all connections: each read is consumed synchronously. */
const memory = Buffer.allocUnsafe(256 * 1024)

/** A keep-alive connection that sends one prepared request at a time and reconnects as needed. */
export const createConnection = ({ port, from, request, done }: Deps): Connection => {
  let socket: Socket | undefined
  let current: Exchange | undefined

  const settle = (ok: boolean) => {
    const exchange = current
    if (!exchange) return
    current = undefined
    exchange.end = performance.now()
    done(connection, exchange, ok)
  }

  const open = () => {
    const read = createMessageReader({
      head: (text) => {
        if (current) current.status = text.slice(9, 12)
      },
      body: (bytes) => {
        if (!current) return
        if (current.bytes === 0) current.first = performance.now()
        current.bytes += bytes.length
      },
      end: () => settle(true),
    })
    const opened = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      ...(from && { localAddress: from }),
      onread: {
        buffer: memory,
        callback: (length) => {
          if (current) current.reads += 1
          read(memory.subarray(0, length))
          return true
        },
      },
    })
    opened.on("error", () => opened.destroy())
    opened.on("close", () => {
      if (socket === opened) socket = undefined
      settle(false)
    })
    return opened
  }

  const connection: Connection = {
    send: () => {
      current = { sent: performance.now(), first: 0, end: 0, bytes: 0, reads: 0, status: "" }
      socket ??= open()
      socket.write(request)
    },
    close: () => socket?.destroy(),
  }
  return connection
}
