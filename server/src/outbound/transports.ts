import { createClient, type Transport, type UpstreamTimeouts } from "@portico/http1"
import type { Config } from "../config/config.ts"
import { createProxyLookup } from "./proxy-lookup.ts"
import { createUndiciTransport } from "./undici-transport.ts"

interface TransportTarget {
  baseUrl: string
  timeouts: UpstreamTimeouts
}

interface CheckedTarget extends TransportTarget {
  /** Connects to this IP address, unless there is a proxy, which resolves the name itself. */
  address: string
}

type Settings = Pick<
  Config,
  | ("UPSTREAM_TRANSPORT" | "UPSTREAM_HTTP2" | "UPSTREAM_CLIENT_CERT" | "UPSTREAM_CLIENT_KEY")
  | ("HTTP_PROXY" | "HTTPS_PROXY" | "NO_PROXY")
>

/** Opens transports: undici's where ours does not suffice, otherwise the one that is set. */
export const createTransports = (settings: Settings) => {
  const findProxy = createProxyLookup(settings)
  const { UPSTREAM_CLIENT_CERT: cert, UPSTREAM_CLIENT_KEY: key } = settings
  const usesUndici = settings.UPSTREAM_TRANSPORT === "undici"

  return {
    /** For a server that an administrator chose. */
    open: ({ baseUrl, timeouts }: TransportTarget): Transport => {
      const url = new URL(baseUrl)
      const isSecure = url.protocol === "https:"
      const proxy = findProxy(url)
      const clientCertificate = isSecure && cert && key ? { cert, key } : null
      const allowsHttp2 = isSecure && settings.UPSTREAM_HTTP2
      if (!usesUndici && proxy === null && clientCertificate === null && !allowsHttp2)
        return createClient(baseUrl, timeouts)
      const address = undefined
      const options = { baseUrl, timeouts, address, proxy, clientCertificate, allowsHttp2 }
      return createUndiciTransport(options)
    },

    /** For an untrusted URL: without the client certificate, to the address that was checked. */
    openChecked: ({ baseUrl, timeouts, address }: CheckedTarget): Transport => {
      const proxy = findProxy(new URL(baseUrl))
      if (!usesUndici && proxy === null) return createClient(baseUrl, timeouts, address)
      const options = { clientCertificate: null, allowsHttp2: false }
      return createUndiciTransport({ baseUrl, timeouts, address, proxy, ...options })
    },
  }
}

export type Transports = ReturnType<typeof createTransports>
