import { createHash } from "node:crypto"
import type { ServerResponse } from "node:http"
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import { portOf } from "../harness/ports.ts"
import {
  applyEarlyFault,
  deliverResponse,
  type Fault,
  type ResponseDelivery,
  responseForFault,
} from "./faults.ts"
import { type Json, parseJson } from "./json.ts"
import type { FakeResponse } from "./responses.ts"

/** A request as received by the fake. Times are milliseconds since the epoch. */
export type RecordedRequest = {
  method: string
  /** Path without the query, as sent (not decoded). */
  path: string
  /** Includes the `?`; "" if there is none. */
  query: string
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  /** Empty for uploads, which are only counted and hashed. */
  body: Buffer
  /** The parsed body; undefined if it is not JSON. */
  json: Json | undefined
  bytes: number
  sha256: string
  receivedAt: number
  /**
   * Resolves with the time at which the client disconnected, if it did before the response ended.
   */
  aborted: Promise<number>
  /** The same time; undefined if the client has not disconnected. */
  abortedAt: number | undefined
  /** The status and the body bytes sent so far. */
  sent: { status: number | undefined; body: Buffer }
}

export type FaultOptions = {
  /** The number of requests affected; by default, 1; Infinity for all. */
  times?: number
  /** Matches path and query of the requests affected. Needed if a client also polls other paths. */
  on?: RegExp
}

export type FakeUpstream = {
  /** `http://127.0.0.1:<port>`, without a path. */
  origin: string
  port: number
  /** In order of arrival; a request is added when its body is complete or aborted. */
  requests: RecordedRequest[]
  /** Resolves with the next request whose path and query match. */
  nextRequest: (on?: RegExp) => Promise<RecordedRequest>
  /** Injects a fault into the next matching requests; the oldest matching fault is used first. */
  injectFault: (fault: Fault, options?: FaultOptions) => void
  clearFaults: () => void
  /** The number of open client connections. */
  connections: () => Promise<number>
  /** Closes all connections and stops listening. */
  close: () => Promise<void>
  /** Closes all connections and listens again on the same port; pending faults remain. */
  restart: () => Promise<void>
}

export type UpstreamOptions = {
  respond: (request: RecordedRequest) => FakeResponse
  /**
   * Paths whose bodies are discarded; such requests are recorded as soon as their headers arrive.
   */
  uploads?: RegExp
}

type PendingFault = { fault: Fault; on: RegExp | undefined; remaining: number }
type Waiter = { on: RegExp | undefined; resolve: (request: RecordedRequest) => void }

/** How many requests providers received, except those for lists of models. */
export const countPosts = (...upstreams: readonly FakeUpstream[]): number =>
  upstreams.flatMap(({ requests }) => requests).filter(({ method }) => method === "POST").length

/** Starts a fake provider on a free port of 127.0.0.1. */
export const startFakeUpstream = async ({
  respond,
  uploads,
}: UpstreamOptions): Promise<FakeUpstream> => {
  const requests: RecordedRequest[] = []
  const activeDeliveries = new Set<() => void>()
  let pending: PendingFault[] = []
  let waiters: Waiter[] = []

  const record = (request: RecordedRequest) => {
    requests.push(request)
    const due = waiters.filter(({ on }) => matches(on, request))
    waiters = waiters.filter((waiter) => !due.includes(waiter))
    for (const waiter of due) waiter.resolve(request)
  }

  const takeFault = (request: RecordedRequest): Fault | undefined => {
    const next = pending.find(({ on }) => matches(on, request))
    if (next === undefined) return undefined
    next.remaining -= 1
    pending = pending.filter(({ remaining }) => remaining > 0)
    return next.fault
  }

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { request, delivery } = beginDelivery(incoming, response)
    activeDeliveries.add(delivery.markOwnClose)
    response.on("close", () => activeDeliveries.delete(delivery.markOwnClose))
    const upload = uploads?.test(request.path) === true
    if (upload) record(request)
    await readBody(incoming, request, upload)
    if (!upload) record(request)
    if (delivery.disconnectSignal.aborted || !incoming.complete) return
    const fault = takeFault(request)
    if (applyEarlyFault(fault, delivery)) return
    await deliverResponse(responseForFault(fault) ?? respond(request), fault, delivery)
  }

  const server = createServer(
    { keepAliveTimeout: 75_000, requestTimeout: 0 },
    (incoming, response) => {
      serve(incoming, response).catch((error: unknown) => {
        process.stderr.write(`fake upstream: ${String(error)}\n`)
        response.destroy()
      })
    },
  )
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(port, "127.0.0.1", () => resolve())
    })
  const stop = () =>
    new Promise<void>((resolve) => {
      for (const cut of activeDeliveries) cut()
      server.close(() => resolve())
      server.closeAllConnections()
    })

  await listen(0)
  const port = portOf(server)

  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    requests,
    nextRequest: (on) => new Promise((resolve) => waiters.push({ on, resolve })),
    injectFault: (fault, { times = 1, on } = {}) => {
      if (fault.kind === "refuse") void stop()
      else pending.push({ fault, on, remaining: times })
    },
    clearFaults: () => {
      pending = []
    },
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    close: stop,
    restart: async () => {
      await stop()
      await listen(port)
    },
  }
}

const matches = (on: RegExp | undefined, { path, query }: RecordedRequest): boolean =>
  on === undefined || on.test(`${path}${query}`)

const beginDelivery = (incoming: IncomingMessage, response: ServerResponse) => {
  const url = incoming.url ?? "/"
  const queryStart = url.indexOf("?")
  const disconnected = new AbortController()
  const { promise, resolve } = Promise.withResolvers<number>()
  const written: Buffer[] = []
  const request: RecordedRequest = {
    method: incoming.method ?? "",
    path: queryStart < 0 ? url : url.slice(0, queryStart),
    query: queryStart < 0 ? "" : url.slice(queryStart),
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    body: Buffer.alloc(0),
    json: undefined,
    bytes: 0,
    sha256: "",
    receivedAt: Date.now(),
    aborted: promise,
    abortedAt: undefined,
    get sent() {
      const status = response.headersSent ? response.statusCode : undefined
      return { status, body: Buffer.concat(written) }
    },
  }
  let isOwnClose = false
  const delivery: ResponseDelivery = {
    response,
    disconnectSignal: disconnected.signal,
    markOwnClose: () => {
      isOwnClose = true
    },
    recordSent: (bytes) => {
      written.push(bytes)
    },
  }
  response.on("close", () => {
    if (response.writableFinished) return
    disconnected.abort()
    if (isOwnClose) return
    request.abortedAt = Date.now()
    resolve(request.abortedAt)
  })
  return { request, delivery }
}

const readBody = async (incoming: IncomingMessage, request: RecordedRequest, upload: boolean) => {
  const hash = createHash("sha256")
  const chunks: Buffer[] = []
  try {
    for await (const chunk of incoming) {
      const bytes = Buffer.from(chunk)
      hash.update(bytes)
      request.bytes += bytes.length
      if (!upload) chunks.push(bytes)
    }
  } catch {
    // The client disconnected, which resolves `aborted`.
  }
  request.sha256 = hash.digest("hex")
  request.body = Buffer.concat(chunks)
  request.json = parseJson(request.body.toString())
}
