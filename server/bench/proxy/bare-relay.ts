import { createServer, type ServerResponse } from "node:http"
import { type Dispatcher, Pool } from "undici"
import { portOf } from "../../test/harness/ports.ts"

/**
 * A minimal Node proxy: node:http for clients, undici for the upstream, without any checks or
 * recording. The difference to it is the cost of the gateway's own work.
 */
const upstreamPort = Number(process.argv[2])
const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: 2000, pipelining: 1 })

const relayTo = (response: ServerResponse): Dispatcher.DispatchHandler => ({
  onRequestStart: (controller) => {
    response.on("close", () => {
      if (!response.writableFinished) controller.abort(new Error("client left"))
    })
  },
  onResponseStart: (_controller, status, headers) => {
    const { connection, "keep-alive": _, "transfer-encoding": __, ...rest } = headers
    response.writeHead(status, rest)
  },
  onResponseData: (_controller, chunk) => {
    response.write(chunk)
  },
  onResponseEnd: () => {
    response.end()
  },
  onResponseError: () => {
    response.destroy()
  },
})

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on("data", (part: Buffer) => parts.push(part))
  request.on("end", () => {
    pool.dispatch(
      {
        method: "POST",
        path: request.url ?? "/",
        headers: { "content-type": "application/json" },
        body: Buffer.concat(parts),
      },
      relayTo(response),
    )
  })
})

server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  process.send?.({ port: portOf(server) })
})
process.on("disconnect", () => process.exit(0))
