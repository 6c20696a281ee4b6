import type { OutgoingHttpHeaders } from "node:http"
import { createConnectionPool } from "./connection-pool.ts"
import { formatRequestHead } from "./format-request-head.ts"
import { PendingRequest } from "./pending-request.ts"
import type { ResponseListener } from "./response-listener.ts"
import {
  type SentRequest,
  type Transport,
  toTimeoutMs,
  type UpstreamRequest,
  type UpstreamTimeouts,
} from "./transport.ts"
import { UpstreamError } from "./upstream-error.ts"

const peerOf = ({ protocol, hostname, port }: URL, address: string | undefined) => {
  const secure = protocol === "https:"
  const name = hostname.replace(/^\[|\]$/g, "")
  return { secure, name, address: address ?? name, port: Number(port) || (secure ? 443 : 80) }
}

/** A streamed body's `content-length`; null if the length is unknown. */
const declaredContentLength = (headers: OutgoingHttpHeaders): number | null => {
  const declared = headers["content-length"]
  return typeof declared === "string" && /^\d+$/.test(declared) ? Number(declared) : null
}

/**
 * HTTP/1.1 client for one upstream, with persistent connections. Does not follow redirects.
 * @param baseUrl without a trailing slash
 * @param address IP address to connect to instead of resolving the host name
 */
export const createClient = (
  baseUrl: string,
  timeouts: UpstreamTimeouts,
  address?: string,
): Transport => {
  const url = new URL(baseUrl)
  const basePath = url.pathname === "/" ? "" : url.pathname
  const pool = createConnectionPool(peerOf(url, address))
  const connect = toTimeoutMs(timeouts.connect)
  const idle = toTimeoutMs(timeouts.idle)

  const send = (
    { method, path, headers, body }: UpstreamRequest,
    listener: ResponseListener,
    firstByte = toTimeoutMs(timeouts.firstByte),
  ): SentRequest => {
    const streamed = body !== null && !Buffer.isBuffer(body)
    const length = streamed ? declaredContentLength(headers) : (body?.length ?? 0)
    const requestHead = { method, path: basePath + path, headers, length }
    const pending = new PendingRequest(listener)
    try {
      const request = {
        head: formatRequestHead(url.host, requestHead),
        body: streamed ? { source: body, isChunked: length === null } : body,
        hasNoResponseBody: method === "HEAD",
      }
      pending.attach(pool.send(request, pending, { connect, firstByte, idle }))
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      pending.onError(new UpstreamError("reset", error))
    }
    return pending
  }

  return { send, retire: pool.retire, close: pool.close }
}
