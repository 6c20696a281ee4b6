import { once } from "node:events"
import { createServer, type IncomingMessage, request } from "node:http"
import { connect, type Socket } from "node:net"
import { listenOnLoopback } from "../harness/ports.ts"

export interface FakeProxy {
  url: string
  /** Methods and targets of all requests, with their credentials: `CONNECT provider.example:443`. */
  requests: { target: string; authorization: string | undefined }[]
  close: () => void
}

/**
 * Starts an HTTP proxy that takes every name for this machine.
 * @param refusedStatus the status of refused tunnels; null to open them
 */
export const startFakeProxy = async (refusedStatus: number | null = null): Promise<FakeProxy> => {
  const requests: FakeProxy["requests"] = []
  const sockets = new Set<Socket>()
  const record = ({ method, url, headers }: IncomingMessage): void => {
    requests.push({ target: `${method} ${url}`, authorization: headers["proxy-authorization"] })
  }
  const server = createServer((incoming, outgoing) => {
    record(incoming)
    const { port, pathname, search } = new URL(incoming.url ?? "")
    const { method } = incoming
    const { "proxy-authorization": _credentials, ...headers } = incoming.headers
    const forwarded = request({ host: "127.0.0.1", port, method, headers, path: pathname + search })
    incoming.pipe(forwarded)
    forwarded.on("error", () => outgoing.destroy())
    forwarded.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
  })
  server.on("connect", async (incoming, socket: Socket) => {
    record(incoming)
    if (refusedStatus !== null) {
      socket.end(`HTTP/1.1 ${refusedStatus} Refused\r\n\r\n`)
      return
    }
    const upstream = connect(Number(incoming.url?.split(":").at(-1)), "127.0.0.1")
    for (const one of [socket, upstream]) {
      sockets.add(one)
      one.on("error", () => {})
    }
    await once(upstream, "connect")
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
    socket.pipe(upstream).pipe(socket)
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://user:secret@127.0.0.1:${port}`,
    requests,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}
