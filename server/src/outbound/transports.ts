import { createClient, type Transport, type UpstreamTimeouts } from "@portico/http1"
import type { Config } from "../config/config.ts"
import { stripTrailingSlashes } from "../config/strip-trailing-slashes.ts"
import { createProxyLookup } from "./proxy-lookup.ts"
import { createUndiciTransport, type UndiciOptions } from "./undici-transport.ts"

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
export interface Transports {
  /** For a provider, which an administrator chose. */
  open(target: TransportTarget): Transport
  /** For a server that is no provider of models: without the client certificate. */
  openAnonymous(target: TransportTarget): Transport
  /** For an untrusted URL: without the client certificate, to the address that was checked. */
  openChecked(target: CheckedTarget): Transport
  /** Whether requests for a URL go through a proxy. */
  usesProxy(url: URL): boolean
}

const anonymous = { clientCertificate: null, allowsHttp2: false }

export const createTransports = (settings: Settings): Transports => {
  const findProxy = createProxyLookup(settings)
  const { UPSTREAM_CLIENT_CERT: cert, UPSTREAM_CLIENT_KEY: key } = settings
  const usesUndici = settings.UPSTREAM_TRANSPORT === "undici"

  const openTransport = (
    { baseUrl, ...target }: TransportTarget & Partial<CheckedTarget>,
    tls: Pick<UndiciOptions, "clientCertificate" | "allowsHttp2">,
  ): Transport => {
    const url = stripTrailingSlashes(baseUrl)
    const proxy = findProxy(new URL(url))
    if (usesUndici || proxy !== null || tls.clientCertificate !== null || tls.allowsHttp2)
      return createUndiciTransport({ baseUrl: url, ...target, ...tls, proxy })
    return createClient(url, target.timeouts, target.address)
  }

  return {
    open: (target) => {
      const isSecure = new URL(target.baseUrl).protocol === "https:"
      const clientCertificate = isSecure && cert && key ? { cert, key } : null
      const allowsHttp2 = isSecure && settings.UPSTREAM_HTTP2
      return openTransport(target, { clientCertificate, allowsHttp2 })
    },

    openAnonymous: (target) => openTransport(target, anonymous),
    openChecked: (target) => openTransport(target, anonymous),

    usesProxy: (url) => findProxy(url) !== null,
  }
}
