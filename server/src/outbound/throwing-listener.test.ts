import { createServer, type RequestListener } from "node:http"
import type { ResponseListener, Transport, UpstreamError, UpstreamRequest } from "@portico/http1"
import { afterEach, describe, expect, it } from "vitest"
import { listenOnLoopback } from "../../test/harness/ports.ts"
import { openTransports, transportNames } from "../../test/harness/transports.ts"

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const clientOf = async (name: string, answer: RequestListener): Promise<Transport> => {
  const server = createServer(answer)
  const port = await listenOnLoopback(server)
  const client = openTransports({ UPSTREAM_TRANSPORT: name }).open({
    baseUrl: `http://127.0.0.1:${port}`,
    timeouts: { connect: 5, firstByte: 5, idle: 5 },
  })
  closing.push(
    client.close,
    () => server.close(),
    () => server.closeAllConnections(),
  )
  return client
}

const get: UpstreamRequest = { method: "GET", path: "/", headers: {}, body: null }

const quiet: ResponseListener = {
  onHead: () => {},
  onData: () => true,
  onEnd: () => {},
  onError: () => {},
  onListenerError: () => {},
}

const throwing = (): never => {
  throw new Error("oops")
}

describe.each(transportNames)("transport %s", (name) => {
  it.each(["onHead", "onData", "onEnd"])(
    "fails only the request whose listener throws in `%s`, and closes its connection",
    async (where) => {
      const ports = new Set<number | undefined>()
      const client = await clientOf(name, (incoming, outgoing) => {
        ports.add(incoming.socket.remotePort)
        outgoing.end("fine")
      })
      const error = await new Promise<UpstreamError>((resolve) => {
        client.send(get, { ...quiet, [where]: throwing, onError: resolve })
      })
      expect(error).toMatchObject({ kind: "unreadable", message: "oops" })
      const text = await new Promise<string>((resolve, reject) => {
        let received = ""
        const data = (chunk: Buffer): boolean => {
          received += chunk
          return true
        }
        client.send(get, {
          ...quiet,
          onData: data,
          onEnd: () => resolve(received),
          onError: reject,
        })
      })
      expect(text).toBe("fine")
      expect(ports.size).toBe(2)
    },
  )

  it("passes an exception thrown in `onError` to `onListenerError`", async () => {
    const client = await clientOf(name, (_incoming, outgoing) => void outgoing.destroy())
    const failed = await new Promise((resolve) => {
      client.send(get, { ...quiet, onError: throwing, onListenerError: resolve })
    })
    expect(failed).toEqual(new Error("oops"))
  })
})
