import { createServer, type RequestListener, type Server } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterEach, describe, expect, it } from "vitest"
import { cert, key } from "../../../packages/http1/test/certificate.ts"
import { listenOnLoopback } from "../../test/harness/ports.ts"
import { openTransports, transportNames } from "../../test/harness/transports.ts"
import { createGuardedFetch, type GuardedFetch } from "./guarded-fetch.ts"
import { createSsrfGuard, type ResolveHostname } from "./ssrf-guard.ts"

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

const serve = (listener: RequestListener): Promise<number> => listening(createServer(listener))

const listening = async (server: Server): Promise<number> => {
  closers.push(() => server.close())
  return listenOnLoopback(server)
}

const to =
  (...addresses: string[]): ResolveHostname =>
  async () =>
    addresses.map((address) => ({ address }))

const request = (url: string, more: object = {}) => ({
  url: new URL(url),
  method: "GET",
  headers: {},
  body: null,
  allows: () => true,
  signal: AbortSignal.timeout(5000),
  timeoutMs: 5000,
  maxBytes: 1000,
  ...more,
})

/** One address of each block in IANA's special-purpose registries and of IPv6 outside 2000::/3. */
const special = [
  ...["0.0.0.1", "10.0.0.1", "100.64.0.1", "127.255.255.254", "169.254.0.1", "172.16.0.1"],
  ...["192.0.0.1", "192.0.0.170", "192.0.2.1", "192.88.99.1", "192.168.255.255", "198.19.255.255"],
  ...["198.51.100.1", "203.0.113.1", "224.0.0.251", "239.255.255.255", "240.0.0.1"],
  ...["255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:7f00:1"],
  ...["::ffff:0:127.0.0.1", "::ffff:0:5db8:d822", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1"],
  ...["100::1", "100:0:0:1::1", "2001::1", "2001:1::1", "2001:2::1", "2001:3::1", "2001:4:112::1"],
  ...["2001:10::1", "2001:20::1", "2001:30::1", "2001:db8::1", "2002:7f00:1::", "3fff::1"],
  ...["5f00::1", "fc00::1", "fd00::1", "fe80::1", "fe80::1%1", "fec0::1", "ff02::1", "4000::1"],
  ...["8000::1", "e000::1", "1000::1", "200::1"],
]

describe("SSRF guard", () => {
  it.each(special)("blocks the special-purpose address %s", async (address) => {
    const guard = createSsrfGuard([], to(address))
    await expect(guard.resolveAllowed("example.com")).rejects.toThrow(/may not be accessed/)
  })

  it.each([
    ...["127.0.0.1", "10.1.2.3", "172.31.255.1", "192.168.0.1", "169.254.169.254", "0.0.0.0"],
    ...["100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.0.8"],
    ...["::1", "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "fec0::1", "::ffff:10.0.0.1"],
    ...["::ffff:a00:1", "64:ff9b::a00:1", "2002:a00:1::", "2001::1", "2001:db8::1", "::127.0.0.1"],
  ])("blocks a name if one of its addresses is %s", async (address) => {
    const guard = createSsrfGuard([], to("93.184.216.34", address))
    await expect(guard.resolveAllowed("example.com")).rejects.toThrow(/may not be accessed/)
  })

  it.each([
    ...[
      "93.184.216.34",
      "2606:2800:220:1::1",
      "::ffff:93.184.216.34",
      "1.1.1.1",
      "223.255.255.254",
    ],
    ...[
      "2a00:1450::1",
      "2001:4860::8888",
      "2400:cb00::1",
      "192.0.1.1",
      "100.128.0.1",
      "172.32.0.1",
    ],
  ])("allows %s", async (address) => {
    const allowed = await createSsrfGuard([], to(address)).resolveAllowed("example.com")
    expect(allowed).toBe(address.replace("::ffff:", ""))
  })

  it("allows networks opened by the operator", async () => {
    const guard = createSsrfGuard(["10.1.0.0/16", "fd00::/8"], to("10.1.2.3", "fd00::5"))
    expect(await guard.resolveAllowed("inside")).toBe("10.1.2.3")
    await expect(
      createSsrfGuard(["10.1.0.0/16"], to("10.2.0.1")).resolveAllowed("x"),
    ).rejects.toThrow()
  })

  it("reports an unresolvable name without the DNS error", async () => {
    const nowhere: ResolveHostname = async () => Promise.reject(new Error("ENOTFOUND at 10.0.0.2"))
    await expect(createSsrfGuard([], nowhere).resolveAllowed("nowhere")).rejects.toThrow(
      /cannot be resolved/,
    )
  })
})

describe.each(transportNames)("guarded fetch over %s", (name) => {
  const transports = openTransports({ UPSTREAM_TRANSPORT: name })
  const open = (resolve: ResolveHostname): GuardedFetch =>
    createGuardedFetch({ guard: createSsrfGuard(["127.0.0.1/32"], resolve), transports })

  it("connects to the checked address despite DNS rebinding", async () => {
    const port = await serve((_request, response) => void response.end("the judged one"))
    let requested = 0
    const rebinding: ResolveHostname = async () => [
      { address: requested++ === 0 ? "127.0.0.1" : "10.0.0.1" },
    ]
    const reply = await open(rebinding)(request(`http://rebinds.example:${port}/`))
    expect(reply).toMatchObject({ status: 200, body: "the judged one" })
    expect(requested).toBe(1)
  })

  it("sends the requested name in the Host header", async () => {
    const port = await serve(({ headers }, response) => void response.end(headers.host))
    const reply = await open(to("127.0.0.1"))(request(`http://named.example:${port}`))
    expect(reply.body).toBe(`named.example:${port}`)
  })

  it("requires a certificate for the requested name", async () => {
    const server = createSecureServer({ key, cert }, (_, response) => void response.end("secret"))
    const usual = getCACertificates("default")
    setDefaultCACertificates([...usual, cert])
    try {
      const port = await listening(server)
      const guardedFetch = open(to("127.0.0.1"))
      const right = await guardedFetch(request(`https://localhost:${port}/`))
      expect(right.body).toBe("secret")
      const wrong = guardedFetch(request(`https://other.example:${port}/`))
      await expect(wrong).rejects.toThrow(/other.example/)
    } finally {
      setDefaultCACertificates(usual)
    }
  })

  it("checks every redirect target", async () => {
    const port = await serve((_request, response) => {
      response.writeHead(302, { location: "http://elsewhere.example/" }).end()
    })
    const names: ResolveHostname = async (name) => [
      { address: name === "first.example" ? "127.0.0.1" : "169.254.169.254" },
    ]
    const pendingRequest = open(names)(request(`http://first.example:${port}/`))
    await expect(pendingRequest).rejects.toThrow(
      /elsewhere.example is on a private or reserved network/,
    )
    const onlyFirst = { allows: ({ hostname }: URL) => hostname === "first.example" }
    const unlisted = open(names)(request(`http://first.example:${port}/`, onlyFirst))
    await expect(unlisted).rejects.toThrow(/is not allowed/)
  })

  it("drops credentials and the body when redirected to another host", async () => {
    const seen: { method: string | undefined; headers: object; body: string }[] = []
    const port = await serve((incoming, response) => {
      let body = ""
      incoming.on("data", (chunk) => {
        body += chunk
      })
      incoming.on("end", () => {
        seen.push({ method: incoming.method, headers: incoming.headers, body })
        if (seen.length > 1) response.end("done")
        else response.writeHead(302, { location: `http://b.example:${port}/` }).end()
      })
    })
    const headers = { authorization: "Bearer secret", accept: "text/plain" }
    const sent = { method: "POST", headers, body: "form" }
    await open(to("127.0.0.1"))(request(`http://a.example:${port}/`, sent))
    expect(seen[0]).toMatchObject({ method: "POST", headers, body: "form" })
    expect(seen[1]).toMatchObject({ method: "GET", headers: { accept: "text/plain" }, body: "" })
    expect(seen[1]?.headers).not.toHaveProperty("authorization")
  })

  it("rejects endless redirects and oversized responses", async () => {
    const round = await serve((_request, response) => {
      response.writeHead(307, { location: "/again" }).end()
    })
    const guardedFetch = open(to("127.0.0.1"))
    await expect(guardedFetch(request(`http://x.example:${round}/`))).rejects.toThrow(
      /Too many redirects/,
    )
    const endless = await serve((_request, response) => {
      const timer = setInterval(() => response.write("x".repeat(500)), 1)
      response.once("close", () => clearInterval(timer))
    })
    const pendingRequest = guardedFetch(request(`http://x.example:${endless}/`))
    await expect(pendingRequest).rejects.toThrow(/larger than/)
  })
})
