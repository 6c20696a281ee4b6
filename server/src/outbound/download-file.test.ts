import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { createDownloader } from "./download-file.ts"
import { createSsrfGuard } from "./ssrf-guard.ts"
import { createTransports } from "./transports.ts"

let folder: string
let respond: (response: ServerResponse) => void
let close: () => void
let url: URL

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "download-"))
  const server = createServer((_request, response) => respond(response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  url = new URL(`http://127.0.0.1:${port}/file`)
  close = () => {
    server.closeAllConnections()
    server.close()
  }
})
afterEach(() => {
  close()
  rmSync(folder, { recursive: true })
})

/** Downloads through a proxy, except from the first server; returns the addresses requested. */
const downloadThroughProxy = async (): Promise<string[]> => {
  const requested: string[] = []
  const transports = createTransports({
    ...{ UPSTREAM_TRANSPORT: "portico", UPSTREAM_HTTP2: false, NO_PROXY: [] },
    ...{ UPSTREAM_CLIENT_CERT: undefined, UPSTREAM_CLIENT_KEY: undefined },
  })
  const downloadFile = createDownloader({
    guard: createSsrfGuard([]),
    transports: {
      ...transports,
      usesProxy: () => true,
      openChecked: ({ baseUrl, ...target }) => {
        requested.push(baseUrl)
        return transports.open({ ...target, baseUrl: url.origin })
      },
    },
  })
  const path = join(folder, "file")
  const { signal } = new AbortController()
  await downloadFile({ url, path, size: 4, signal }).catch((error: Error) => {
    requested.push(error.name)
  })
  return requested
}

const redirectTo = (location: string): void => {
  respond = (response) => {
    response.writeHead(302, { location }).end()
    respond = (next) => void next.writeHead(200).end("file")
  }
}

it.each(["https://[fd00::1]/x", "https://[::ffff:10.0.0.1]/x", "https://10.0.0.1/x"])(
  "rejects a redirect to %s although there is a proxy",
  async (location) => {
    redirectTo(location)
    expect(await downloadThroughProxy()).toEqual([expect.stringMatching(/Error$/)])
  },
)

it("lets the proxy resolve the name that a redirect leads to", async () => {
  redirectTo("https://files.example/x")
  expect(await downloadThroughProxy()).toEqual(["https://files.example"])
  expect(existsSync(join(folder, "file"))).toBe(true)
})

it("does not read the body of a redirect", async () => {
  let isClosed = false
  respond = (response) => {
    response.writeHead(302, { location: "https://files.example/x" })
    const timer = setInterval(() => response.write(Buffer.alloc(1000)), 5)
    response.on("close", () => {
      clearInterval(timer)
      isClosed = true
    })
    respond = (next) => void next.writeHead(200).end("file")
  }
  expect(await downloadThroughProxy()).toEqual(["https://files.example"])
  await expect.poll(() => isClosed).toBe(true)
}, 5000)
