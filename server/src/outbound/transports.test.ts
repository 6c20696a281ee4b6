import { once } from "node:events"
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { createServer as createSocketServer, type Socket } from "node:net"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import type { RequestHandle, Transport, UpstreamError, UpstreamRequest } from "@portico/http1"
import { afterEach, describe, expect, it } from "vitest"
import { cert, key } from "../../../packages/http1/test/certificate.ts"
import { listenOnLoopback } from "../../test/harness/ports.ts"
import { openTransports, transportNames } from "../../test/harness/transports.ts"

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const serve = async (server: Server | ReturnType<typeof createSocketServer>): Promise<number> => {
  const port = await listenOnLoopback(server)
  closing.push(() => {
    server.close()
    if ("closeAllConnections" in server) server.closeAllConnections()
  })
  return port
}

const answering = (listener: RequestListener): Promise<number> => serve(createServer(listener))

const get: UpstreamRequest = { method: "GET", path: "/x", headers: {}, body: null }

interface Received {
  status: number
  text: string
  error?: UpstreamError
}

/** Sends a request; resolves when it has ended or failed. */
const receive = (
  client: Transport,
  request: UpstreamRequest,
  each: (chunk: Buffer) => boolean = () => true,
): Promise<Received> & { flow: RequestHandle } => {
  const received: Received = { status: 0, text: "" }
  const { promise, resolve } = Promise.withResolvers<Received>()
  const flow = client.send(request, {
    onHead: (status) => {
      received.status = status
    },
    onData: (chunk) => {
      received.text += chunk.toString("utf8")
      return each(chunk)
    },
    onEnd: () => resolve(received),
    onError: (error) => resolve({ ...received, error }),
    onListenerError: () => expect.unreachable(),
  })
  return Object.assign(promise, { flow })
}

const defaultTimeouts = { connect: 2, firstByte: 2, idle: 2 }

describe.each(transportNames)("transport %s", (name) => {
  const transports = openTransports({ UPSTREAM_TRANSPORT: name })
  const clientOf = (baseUrl: string, timeouts = defaultTimeouts): Transport => {
    const transport = transports.open({ baseUrl, timeouts })
    closing.push(transport.close)
    return transport
  }
  const plainOf = (port: number): Transport => clientOf(`http://127.0.0.1:${port}/base/`)

  it("sends requests relative to the base URL over persistent connections", async () => {
    const ports = new Set<number | undefined>()
    const port = await answering(async (incoming, outgoing) => {
      ports.add(incoming.socket.remotePort)
      const { method, url, headers } = incoming
      outgoing.end(JSON.stringify({ method, url, headers, body: await text(incoming) }))
    })
    const client = plainOf(port)
    for (const body of ["one", "zwei ä", "three", "four"]) {
      const headers = { "x-list": ["a", "b"], "content-type": "text/plain" }
      const request = { method: "POST", path: "/chat?x=1", headers, body: Buffer.from(body) }
      const { text } = await receive(client, request)
      expect(JSON.parse(text)).toMatchObject({
        ...{ method: "POST", url: "/base/chat?x=1", body },
        headers: { host: `127.0.0.1:${port}`, "x-list": "a, b", "content-type": "text/plain" },
      })
    }
    // undici frees a connection only after it has reported the end of a response.
    expect(ports.size).toBeLessThanOrEqual(name === "undici" ? 2 : 1)
  })

  it("opens one connection per concurrent request", async () => {
    const waiting: ServerResponse[] = []
    // None is answered before all have arrived.
    const port = await answering((_incoming, outgoing) => {
      if (waiting.push(outgoing) === 50) for (const response of waiting) response.end("!")
    })
    const client = plainOf(port)
    const all = await Promise.all(Array.from({ length: 50 }, () => receive(client, get)))
    expect(all.map(({ text }) => text)).toEqual(Array(50).fill("!"))
  })

  it("closes an idle connection before the timeout announced by the server", async () => {
    const server = createServer((_incoming, outgoing) => {
      outgoing.writeHead(200, { "keep-alive": "timeout=2", "content-length": "0" }).end()
    })
    const connected = once(server, "connection")
    const client = plainOf(await serve(server))
    // The server would keep the connection much longer than its header says.
    server.keepAliveTimeout = 60_000
    await receive(client, get)
    const [socket] = await connected
    await once(socket, "close", { signal: AbortSignal.timeout(2000) })
  })

  it("opens a new connection after the server closed the idle one", async () => {
    const server = createServer((_incoming, outgoing) => outgoing.end("fine"))
    const client = plainOf(await serve(server))
    for (let turn = 0; turn < 3; turn++) {
      const connected = once(server, "connection")
      expect((await receive(client, get)).text).toBe("fine")
      const [socket] = await connected
      // It closes once the client has noticed, and has closed its side.
      await once(socket.end(), "close")
    }
  })

  it.each([
    ["with chunked transfer coding", {}, "chunked"],
    ["with its declared length", { "content-length": "200000" }, undefined],
  ])("streams a request body %s", async (_how, headers, transfer) => {
    const port = await answering(async (incoming, outgoing) => {
      const { "transfer-encoding": coding } = incoming.headers
      const { length } = await text(incoming)
      outgoing.end(JSON.stringify({ coding, length }))
    })
    const pieces = Array.from({ length: 20 }, () => Buffer.alloc(10_000, "x"))
    const body = Readable.from(pieces, { objectMode: false })
    const reply = await receive(plainOf(port), { method: "POST", path: "/", headers, body })
    expect(JSON.parse(reply.text)).toEqual({ coding: transfer, length: 200_000 })
  })

  it("does not reuse a connection while a request body is still being sent", async () => {
    const ports: (number | undefined)[] = []
    const port = await answering((incoming, outgoing) => {
      ports.push(incoming.socket.remotePort)
      outgoing.writeHead(413, { "content-length": "3" }).end("no!")
    })
    const client = plainOf(port)
    const body = new Readable({ read() {} })
    body.push("the beginning")
    expect((await receive(client, { ...get, method: "POST", body })).status).toBe(413)
    expect((await receive(client, get)).status).toBe(413)
    expect(new Set(ports).size).toBe(2)
  })

  it("stops reading while the listener is paused", async () => {
    const megabytes = 64
    let sent = 0
    const port = await answering(async (_incoming, outgoing) => {
      for (; sent < megabytes; sent++) {
        if (!outgoing.write(Buffer.alloc(1024 * 1024))) await once(outgoing, "drain")
      }
      outgoing.end()
    })
    let bytes = 0
    let wait = true
    const reply = receive(plainOf(port), get, (chunk) => {
      bytes += chunk.length
      return !wait
    })
    // Exceeds the idle timeout, which does not apply while the listener is paused.
    const silentPort = await answering((_incoming, outgoing) => outgoing.flushHeaders())
    expect((await receive(plainOf(silentPort), get)).error?.kind).toBe("silence")
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(1024 * 1024)
    expect(sent).toBeLessThan(megabytes / 2)
    wait = false
    reply.flow.resume()
    expect((await reply).error).toBeUndefined()
    expect(bytes).toBe(megabytes * 1024 * 1024)
  })

  it("closes the connection of a canceled request without further callbacks", async () => {
    const left = new Promise<void>((resolve) => {
      void answering((incoming, outgoing) => {
        outgoing.write("first")
        incoming.on("close", resolve)
      }).then((port) => {
        const flow = plainOf(port).send(get, {
          onHead: () => {},
          onData: () => {
            setImmediate(() => flow.cancel())
            return true
          },
          onEnd: () => expect.unreachable(),
          onError: () => expect.unreachable(),
          onListenerError: () => expect.unreachable(),
        })
      })
    })
    await left
  })

  it.each([
    ["timeout", () => {}],
    [
      "silence",
      (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"),
    ],
    ["reset", (socket: Socket) => socket.destroy()],
    ["reset", (socket: Socket) => socket.write("SSH-2.0-Server\r\n")],
    ["broken", (socket: Socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf")],
    [
      "broken",
      (socket: Socket) =>
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n"),
    ],
  ])("classifies a failure as %s", async (kind, answer) => {
    const port = await serve(
      createSocketServer((socket) => socket.once("data", () => answer(socket))),
    )
    const timeouts = { connect: 1, firstByte: 0.3, idle: 0.3 }
    const { error } = await receive(clientOf(`http://127.0.0.1:${port}`, timeouts), get)
    expect(error?.kind).toBe(kind)
  })

  it("reports `unreachable` when the connection is refused", async () => {
    const server = createServer()
    const port = await serve(server)
    server.close()
    expect((await receive(plainOf(port), get)).error?.kind).toBe("unreachable")
  })

  it.each([
    ["a header value", { headers: { "x-a": "1\r\nx-b: 2" } }],
    ["a header name", { headers: { "x a": "1" } }],
    ["the path", { path: "/x HTTP/1.1\r\nx-b: 2" }],
    ["the method", { method: "GET /y" }],
  ])("sends nothing when %s contains invalid characters", async (_what, part) => {
    let requested = 0
    const port = await answering((_incoming, outgoing) => {
      requested++
      outgoing.end()
    })
    const { error } = await receive(plainOf(port), { ...get, ...part })
    expect(error?.kind).toBe("reset")
    expect(requested).toBe(0)
  })

  it("finishes requests in flight after `retire`, and rejects new ones", async () => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>()
    const client = plainOf(await answering((_incoming, outgoing) => resolve(outgoing)))
    const running = receive(client, get)
    const outgoing = await promise
    client.retire()
    expect((await receive(client, get)).error?.kind).toBe("reset")
    outgoing.end("late")
    expect((await running).text).toBe("late")
  })

  it("aborts requests in flight on `close`", async () => {
    const port = await answering((_incoming, outgoing) => void outgoing.write("half"))
    const client = plainOf(port)
    const { promise: begun, resolve } = Promise.withResolvers<boolean>()
    const running = receive(client, get, () => {
      resolve(true)
      return true
    })
    await begun
    client.close()
    expect((await running).error?.kind).toBe("broken")
  })

  it("accepts only trusted TLS certificates", async () => {
    const port = await serve(
      createSecureServer({ key, cert }, (_incoming, outgoing) => void outgoing.end("secret")),
    )
    const client = clientOf(`https://localhost:${port}`)
    expect((await receive(client, get)).error?.kind).toBe("unreachable")
    const usual = getCACertificates("default")
    setDefaultCACertificates([...usual, cert])
    try {
      for (let turn = 0; turn < 2; turn++) {
        expect((await receive(clientOf(`https://localhost:${port}`), get)).text).toBe("secret")
      }
    } finally {
      setDefaultCACertificates(usual)
    }
  })
})
