import { isIP, type LookupFunction } from "node:net"
import {
  classifyUpstreamError,
  isTransportHeader,
  PendingRequest,
  type RequestConnection,
  type ResponseListener,
  type SentRequest,
  type Transport,
  toTimeoutMs,
  UpstreamError,
  type UpstreamErrorKind,
  type UpstreamRequest,
  type UpstreamTimeouts,
} from "@portico/http1"
import { type Dispatcher, Pool, ProxyAgent } from "undici"

const keepAliveMs = 4000
const maxKeepAliveMs = 600_000
const maxHeadBytes = 64 * 1024

export interface UndiciOptions {
  /** Without a trailing slash. */
  baseUrl: string
  timeouts: UpstreamTimeouts
  /** IP address to connect to instead of resolving the host name; a proxy does not use it. */
  address?: string | undefined
  /** URL of a proxy, with its credentials. */
  proxy: string | null
  /** In PEM format. */
  clientCertificate: { cert: Buffer; key: Buffer } | null
  /** Whether to use HTTP/2 if the server offers it. */
  allowsHttp2: boolean
}

const kindByCode: Readonly<Record<string, UpstreamErrorKind>> = {
  UND_ERR_CONNECT_TIMEOUT: "unreachable",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "silence",
  // The proxy refused the tunnel: requests that we cancel report nothing.
  UND_ERR_ABORTED: "unreachable",
  UND_ERR_PRX_CONN: "unreachable",
  UND_ERR_PRX_TLS: "unreachable",
}

/** How far a request got. */
type Stage =
  /** There is no connection yet, or the proxy has not opened a tunnel. */
  "queued" | "sent" | "answered"

const toUpstreamError = (error: Error, stage: Stage): UpstreamError => {
  const kind = "code" in error ? kindByCode[String(error.code)] : undefined
  if (stage === "queued" && kind === "timeout") return new UpstreamError("unreachable", error)
  return kind && (stage !== "answered" || kind === "silence")
    ? new UpstreamError(kind, error)
    : classifyUpstreamError(error, stage === "answered")
}

/** HTTP/1.1 has alternating names and values, HTTP/2 an object. */
const toRawHeaders = (headers: Dispatcher.DispatchController["rawHeaders"]): string[] => {
  if (Array.isArray(headers))
    return headers.map((part) => (typeof part === "string" ? part : part.toString("latin1")))
  return Object.entries(headers ?? {}).flatMap(([name, values = []]) =>
    [values].flat().flatMap((value) => [name, value]),
  )
}

/** Passes on a response, and controls the connection or stream that carries it. */
class DispatchedRequest implements Dispatcher.DispatchHandler, RequestConnection {
  readonly #request: PendingRequest
  #controller: Dispatcher.DispatchController | null = null
  #isDestroyed = false
  #stage: Stage = "queued"

  constructor(request: PendingRequest) {
    this.#request = request
  }

  resume(): void {
    this.#controller?.resume()
  }

  destroy(): void {
    this.#isDestroyed = true
    this.#controller?.abort(new Error("the request was canceled"))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#stage = "sent"
    if (this.#isDestroyed) this.destroy()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return
    this.#stage = "answered"
    this.#request.onHead(status, toRawHeaders(controller.rawHeaders))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#request.onData(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.#request.onEnd()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#isDestroyed) this.#request.onError(toUpstreamError(error, this.#stage))
  }
}

const resolveTo =
  (address: string): LookupFunction =>
  (_hostname, { all }, callback) => {
    const family = isIP(address)
    if (all) callback(null, [{ address, family }])
    else callback(null, address, family)
  }

const createDispatcher = (
  origin: string,
  { timeouts, address, proxy, clientCertificate, allowsHttp2 }: UndiciOptions,
): Dispatcher => {
  const timeout = toTimeoutMs(timeouts.connect)
  const options = {
    allowH2: allowsHttp2,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: maxKeepAliveMs,
    maxHeaderSize: maxHeadBytes,
  }
  const tls = { ...clientCertificate, allowH2: allowsHttp2, preferH2: allowsHttp2 }
  if (proxy === null) {
    const lookup = address === undefined ? {} : { lookup: resolveTo(address) }
    return new Pool(origin, { ...options, connect: { ...tls, ...lookup, timeout } })
  }
  return new ProxyAgent({
    ...options,
    uri: proxy,
    requestTls: tls,
    connectTimeout: timeout,
    // A proxy that does not answer is like a server that cannot be reached in time.
    clientFactory: (url, poolOptions) => new Pool(url, { ...poolOptions, headersTimeout: timeout }),
  })
}

const toSentHeaders = ({ headers, body }: UpstreamRequest): string[] => {
  const isStreamed = body !== null && !Buffer.isBuffer(body)
  const sent: string[] = []
  for (const [name, value] of Object.entries(headers)) {
    const isSent = !isTransportHeader(name) || (name === "content-length" && isStreamed)
    if (value === undefined || !isSent) continue
    for (const item of [value].flat()) sent.push(name, String(item))
  }
  return sent
}

/**
 * Transport over undici, for what ours does not support: proxies, client certificates and HTTP/2.
 * Does not follow redirects, decompress or retry.
 */
export const createUndiciTransport = (options: UndiciOptions): Transport => {
  const { origin, pathname } = new URL(options.baseUrl)
  const basePath = pathname === "/" ? "" : pathname
  const { timeouts } = options
  const dispatcher = createDispatcher(origin, options)
  const bodyTimeout = toTimeoutMs(timeouts.idle)

  return {
    send: (
      request: UpstreamRequest,
      listener: ResponseListener,
      firstByteMs = toTimeoutMs(timeouts.firstByte),
    ): SentRequest => {
      const pending = new PendingRequest(listener)
      const dispatched = new DispatchedRequest(pending)
      const { method, body } = request
      const sent = {
        origin,
        // Any method may be sent; undici checks that it is a token.
        method: method as Dispatcher.HttpMethod,
        path: basePath + request.path,
        headers: toSentHeaders(request),
        body,
        headersTimeout: Math.max(1, Math.round(firstByteMs)),
        bodyTimeout,
      }
      pending.attach(dispatched)
      dispatcher.dispatch(sent, dispatched)
      return pending
    },
    retire: () => void dispatcher.close().catch(() => {}),
    close: () => void dispatcher.destroy().catch(() => {}),
  }
}
