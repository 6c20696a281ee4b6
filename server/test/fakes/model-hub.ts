import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tinyModelFiles } from "./tiny-embedding-model.ts"

/** How the hub sends a file. */
export type HubFault =
  /** Half of the file, though its length is announced in full. */
  | "cut"
  /** Half of the file, without its length. */
  | "short"
  /** Other bytes of the same length. */
  | "changed"
  | "longer"
  /** The head and one byte; the rest never. */
  | "stalled"
  | "missing"
  /** Too many requests. */
  | "busy"
  | "overloaded"
  /** To the same file on the hub, as large files are served. */
  | "redirect"
  | "redirect_elsewhere"
  | "redirect_forever"

export interface FakeModelHub {
  url: string
  /** Faults of the next requests, one each; then files are sent. */
  faults: HubFault[]
  /** `path range` of each request. */
  requests: string[]
  close(): Promise<void>
}

const storedPrefix = "/stored"

/** Serves the files of the tiny model like a hub. */
export const startFakeModelHub = async (): Promise<FakeModelHub> => {
  const faults: HubFault[] = []
  const requests: string[] = []

  const sendFile = (bytes: Buffer, request: IncomingMessage, response: ServerResponse): void => {
    const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? []
    const body = bytes.subarray(Number(from ?? 0))
    response.writeHead(from === undefined ? 200 : 206, { "content-length": body.length })
    response.end(body)
  }

  const sendFault = (fault: HubFault, bytes: Buffer, response: ServerResponse): void => {
    const half = bytes.subarray(0, bytes.length / 2)
    const length = { "content-length": bytes.length }
    const redirectTo = (location: string) => response.writeHead(302, { location }).end()
    const senders: Record<HubFault, () => unknown> = {
      cut: () => response.writeHead(200, length).write(half, () => response.destroy()),
      short: () => response.writeHead(200).end(half),
      changed: () => response.writeHead(200, length).end(Buffer.alloc(bytes.length, 1)),
      longer: () => response.writeHead(200).end(Buffer.concat([bytes, bytes])),
      stalled: () => response.writeHead(200, length).write(bytes.subarray(0, 1)),
      missing: () => response.writeHead(404).end("Not found"),
      busy: () => response.writeHead(429, { "retry-after": "0" }).end(),
      overloaded: () => response.writeHead(503).end(),
      redirect: () => redirectTo(`${storedPrefix}${response.req.url}`),
      redirect_elsewhere: () => redirectTo("http://localhost:9/file"),
      redirect_forever: () => {
        faults.unshift("redirect_forever")
        redirectTo(response.req.url ?? "")
      },
    }
    senders[fault]()
  }

  const server = createServer((request, response) => {
    const path = (request.url ?? "").replace(storedPrefix, "")
    requests.push(`${request.url} ${request.headers.range ?? ""}`.trim())
    const bytes = tinyModelFiles[path]
    const fault = faults.shift() ?? (bytes ? undefined : "missing")
    if (fault) sendFault(fault, bytes ?? Buffer.alloc(0), response)
    else if (bytes) sendFile(bytes, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    requests,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
