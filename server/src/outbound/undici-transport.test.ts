import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener, type Server } from "node:http"
import { createSecureServer as createHttp2Server } from "node:http2"
import { createServer as createSecureServer } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { readBufferedResponse, type Transport, type UpstreamRequest } from "@portico/http1"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { cert, key } from "../../test/fakes/provider-certificate.ts"
import { startFakeProxy } from "../../test/fakes/proxy.ts"
import { listenOnLoopback } from "../../test/harness/ports.ts"
import { openTransports } from "../../test/harness/transports.ts"
import { createGuardedFetch } from "./guarded-fetch.ts"
import { createSsrfGuard } from "./ssrf-guard.ts"

const folder = mkdtempSync(join(tmpdir(), "portico-"))
const usual = getCACertificates("default")
beforeAll(() => {
  setDefaultCACertificates([...usual, cert])
  writeFileSync(join(folder, "cert.pem"), cert)
  writeFileSync(join(folder, "key.pem"), key)
})
afterAll(() => {
  setDefaultCACertificates(usual)
  rmSync(folder, { recursive: true })
})

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close()
})

const listen = async (server: Server | ReturnType<typeof createHttp2Server>): Promise<number> => {
  closing.push(() => void server.close())
  if ("closeAllConnections" in server) closing.push(() => server.closeAllConnections())
  return listenOnLoopback(server)
}

const startProxy = async (refusedStatus: number | null = null) => {
  const proxy = await startFakeProxy(refusedStatus)
  closing.push(proxy.close)
  return proxy
}

const timeouts = { connect: 2, firstByte: 2, idle: 2 }

const open = (env: Record<string, string>, baseUrl: string): Transport => {
  const transport = openTransports(env).open({ baseUrl, timeouts })
  closing.push(transport.close)
  return transport
}

const send = (transport: Transport, request: Partial<UpstreamRequest> = {}) => {
  const whole = { method: "GET", path: "/v1/x", headers: {}, body: null, ...request }
  const limits = { signal: AbortSignal.timeout(10_000), maxBytes: 10_000_000 }
  return readBufferedResponse((listener) => transport.send(whole, listener), limits)
}

const echoTarget: RequestListener = ({ headers, url }, outgoing) => {
  outgoing.end(`${headers.host}${url}`)
}

describe("a proxy", () => {
  const serveSecurely = () => listen(createSecureServer({ key, cert }, echoTarget))

  it("is asked for a tunnel to an https server, with its credentials", async () => {
    const port = await serveSecurely()
    const proxy = await startProxy()
    const transport = open({ HTTPS_PROXY: proxy.url }, `https://provider.example:${port}/base/`)
    for (let turn = 0; turn < 2; turn++)
      expect((await send(transport)).text).toBe(`provider.example:${port}/base/v1/x`)
    const authorization = `Basic ${Buffer.from("user:secret").toString("base64")}`
    const target = `CONNECT provider.example:${port}`
    expect(proxy.requests[0]).toEqual({ target, authorization })
  })

  it("is sent requests to an http server", async () => {
    const port = await listen(createServer(echoTarget))
    const proxy = await startProxy()
    const baseUrl = `http://provider.example:${port}`
    const { text } = await send(open({ HTTP_PROXY: proxy.url }, baseUrl))
    expect(text).toBe(`provider.example:${port}/v1/x`)
    expect(proxy.requests.map(({ target }) => target)).toEqual([`GET ${baseUrl}/v1/x`])
  })

  it("does not get what is meant for the server inside a tunnel", async () => {
    const port = await serveSecurely()
    const proxy = await startProxy()
    // The certificate is for another name.
    const transport = open({ HTTPS_PROXY: proxy.url }, `https://other.example:${port}`)
    await expect(send(transport)).rejects.toMatchObject({ kind: "unreachable" })
  })

  it.each([403, 407])("that refuses a tunnel with %d cannot be used", async (status) => {
    const proxy = await startProxy(status)
    const transport = open({ HTTPS_PROXY: proxy.url }, "https://provider.example")
    await expect(send(transport)).rejects.toMatchObject({ kind: "unreachable" })
  })

  it("that does not respond cannot be used", async () => {
    const silent = createServer().on("connect", () => {})
    const transport = open(
      { HTTPS_PROXY: `http://127.0.0.1:${await listen(silent)}` },
      "https://provider.example",
    )
    await expect(send(transport)).rejects.toMatchObject({ kind: "unreachable" })
  })

  it.each(["localhost", "127.0.0.1"])("is not used for %s", async (host) => {
    const port = await listen(createServer(echoTarget))
    const proxy = await startProxy()
    const { text } = await send(open({ HTTP_PROXY: proxy.url }, `http://${host}:${port}`))
    expect([text, proxy.requests]).toEqual([`${host}:${port}/v1/x`, []])
  })

  it("carries functions' requests, but not to blocked addresses", async () => {
    const port = await listen(createServer(echoTarget))
    const proxy = await startProxy()
    const transports = openTransports({ HTTP_PROXY: proxy.url })
    const fetchFrom = (address: string) => {
      const guard = createSsrfGuard([], async () => [{ address }])
      return createGuardedFetch({ guard, transports })({
        ...{ url: new URL(`http://api.example:${port}/y`), method: "GET", headers: {}, body: null },
        ...{ allows: () => true, signal: AbortSignal.timeout(5000) },
        ...{ timeoutMs: 5000, maxBytes: 1000 },
      })
    }
    expect((await fetchFrom("93.184.216.34")).body).toBe(`api.example:${port}/y`)
    await expect(fetchFrom("10.0.0.1")).rejects.toThrow("may not be accessed")
    expect(proxy.requests).toHaveLength(1)
  })
})

describe("a client certificate", () => {
  const env = () => ({
    UPSTREAM_CLIENT_CERT: join(folder, "cert.pem"),
    UPSTREAM_CLIENT_KEY: join(folder, "key.pem"),
  })
  const serve = () => {
    const options = { key, cert, ca: cert, requestCert: true, rejectUnauthorized: true }
    return listen(createSecureServer(options, (_incoming, outgoing) => outgoing.end("welcome")))
  }

  it("is presented to a server that requires one", async () => {
    const baseUrl = `https://localhost:${await serve()}`
    expect((await send(open(env(), baseUrl))).text).toBe("welcome")
    await expect(send(open({}, baseUrl))).rejects.toThrow()
    await expect(send(open({ UPSTREAM_TRANSPORT: "undici" }, baseUrl))).rejects.toThrow()
  })

  it("is presented to the server behind a proxy", async () => {
    const proxy = await startProxy()
    const baseUrl = `https://provider.example:${await serve()}`
    expect((await send(open({ ...env(), HTTPS_PROXY: proxy.url }, baseUrl))).text).toBe("welcome")
  })

  it("is not presented to webhooks, and to addresses that functions choose", async () => {
    const baseUrl = `https://localhost:${await serve()}`
    const transports = openTransports({ ...env(), UPSTREAM_TRANSPORT: "undici" })
    for (const transport of [
      transports.openAnonymous({ baseUrl, timeouts }),
      transports.openChecked({ baseUrl, timeouts, address: "127.0.0.1" }),
    ]) {
      closing.push(transport.close)
      await expect(send(transport)).rejects.toThrow()
    }
  })
})

describe("HTTP/2", () => {
  const env = { UPSTREAM_HTTP2: "true" }
  const serve = async (): Promise<string> => {
    const server = createHttp2Server(
      { key, cert, allowHTTP1: true },
      async (incoming, outgoing) => {
        const body = Buffer.concat(await incoming.toArray())
        outgoing.setHeader("x-version", incoming.httpVersion)
        outgoing.setHeader("set-cookie", ["a=1", "b=2"])
        outgoing.end(body.length > 0 ? `${body.length}` : incoming.url)
      },
    )
    return `https://localhost:${await listen(server)}/base`
  }

  it.each([
    ["is used if the server offers it", env, "2.0"],
    ["is not used otherwise", {}, "1.1"],
  ])("%s", async (_title, settings, version) => {
    const { status, rawHeaders, text } = await send(open(settings, await serve()))
    expect([status, text]).toEqual([200, "/base/v1/x"])
    const headers = rawHeaders.map((each, at) => (at % 2 === 0 ? each.toLowerCase() : each))
    expect(headers[headers.indexOf("x-version") + 1]).toBe(version)
    expect(headers.filter((each) => each === "set-cookie")).toHaveLength(2)
  })

  it("falls back to HTTP/1.1", async () => {
    const port = await listen(createSecureServer({ key, cert }, echoTarget))
    const { text } = await send(open(env, `https://localhost:${port}`))
    expect(text).toBe(`localhost:${port}/v1/x`)
  })

  it("sends bodies, also streamed ones and several at once", async () => {
    const transport = open(env, await serve())
    const bodies = [0, 1, 2].flatMap(() => [
      Buffer.alloc(300_000, "x"),
      Readable.from([Buffer.alloc(150_000, "x"), Buffer.alloc(150_000, "y")]),
    ])
    const replies = await Promise.all(
      bodies.map((body) => send(transport, { method: "POST", body })),
    )
    expect(replies.map(({ text }) => text)).toEqual(Array(6).fill("300000"))
  })

  it("reports a response that stalls, and ends a canceled one", async () => {
    const ended: string[] = []
    const server = createHttp2Server({ key, cert }, (incoming, outgoing) => {
      outgoing.write("half")
      incoming.stream.on("close", () => ended.push(incoming.url))
    })
    const baseUrl = `https://localhost:${await listen(server)}`
    const short = { connect: 2, firstByte: 2, idle: 0.3 }
    const transport = openTransports(env).open({ baseUrl, timeouts: short })
    closing.push(transport.close)
    await expect(send(transport, { path: "/stalls" })).rejects.toMatchObject({ kind: "silence" })
    const unexpected = () => expect.unreachable()
    const handle = transport.send(
      { method: "GET", path: "/canceled", headers: {}, body: null },
      {
        onHead: () => {},
        onData: () => {
          setImmediate(() => handle.cancel())
          return true
        },
        ...{ onEnd: unexpected, onError: unexpected, onListenerError: unexpected },
      },
    )
    await expect.poll(() => ended).toEqual(["/stalls", "/canceled"])
  })
})
