import { open } from "node:fs/promises"
import { isIP } from "node:net"
import { headerOf, type ResponseListener, type Transport } from "@portico/http1"
import { createSpaceCheck } from "../db/disk-space.ts"
import { sizeOfFile } from "../db/size-of-file.ts"
import { type TranslatableMessage, translatable } from "../i18n/message.ts"
import { type SsrfGuard, SsrfGuardError } from "./ssrf-guard.ts"
import { stripBrackets } from "./strip-brackets.ts"
import type { Transports } from "./transports.ts"

const maxRedirects = 5
const timeouts = { connect: 10, firstByte: 30, idle: 30 }

/** The server's answer does not allow the download. */
export class DownloadRejectedError extends Error {
  override name = "DownloadRejectedError"
  /** What the server did, as a part of a sentence. */
  readonly reason: TranslatableMessage
  /** When a retry may help, in ms from now; null if it would not. */
  readonly retryAfterMs: number | null

  constructor(reason: TranslatableMessage, retryAfterMs: number | null = null) {
    super(reason.text)
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

/** Statuses of servers that are busy or being restarted. */
const busyStatuses = new Set([429, 502, 503, 504])

/** In ms, of a number of seconds or a date; 0 if there is none. */
const readRetryAfter = (headers: readonly string[]): number => {
  const value = headerOf(headers, "retry-after") ?? ""
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Math.max(0, ms || 0)
}

export interface Download {
  /** Chosen by an administrator; redirects to other origins lead to public networks only. */
  url: URL
  /** Where to write; the bytes that the file contains already are not requested again. */
  path: string
  /** In bytes, of the complete file. */
  size: number
  signal: AbortSignal
}

interface Deps {
  guard: SsrfGuard
  transports: Transports
}

/** What to do with the body of a response. */
type Body = { append: boolean } | { redirect: string }

const readHead = (status: number, headers: readonly string[]): Body => {
  const location = headerOf(headers, "location")
  if (status >= 300 && status < 400 && location) return { redirect: location }
  if (status !== 200 && status !== 206) {
    const retryAfterMs = busyStatuses.has(status) ? readRetryAfter(headers) : null
    throw new DownloadRejectedError(
      translatable("download_refused", { status: `${status}` }),
      retryAfterMs,
    )
  }
  return { append: status === 206 }
}

const toRedirectUrl = (location: string, from: URL): URL => {
  const url = URL.canParse(location, from.href) ? new URL(location, from) : null
  if (url?.protocol === "https:" || (url?.protocol === "http:" && from.protocol === "http:"))
    return url
  throw new DownloadRejectedError(
    translatable("download_redirected", { address: url?.origin ?? location.slice(0, 200) }),
  )
}

interface Receiver {
  /** Called with each part of the body; that of a redirect is not read. */
  write: (chunk: Buffer, append: boolean) => Promise<void>
  resume: () => void
  /** Called once the body is written, or with where the response redirects to. */
  succeed: (redirect: string | null) => void
  fail: (error: unknown) => void
}

const createListener = ({ write, resume, succeed, fail }: Receiver): ResponseListener => {
  let body: Body = { append: false }
  let written: Promise<void> = Promise.resolve()
  return {
    onHead: (status, headers) => {
      body = readHead(status, headers)
      if ("redirect" in body) succeed(body.redirect)
    },
    onData: (chunk) => {
      if ("redirect" in body) return false
      const { append } = body
      written = written.then(() => write(chunk, append)).then(resume, fail)
      return false
    },
    onEnd: () => {
      void written.then(() => succeed(null))
    },
    onError: (error) => fail(error.cause instanceof DownloadRejectedError ? error.cause : error),
    onListenerError: fail,
  }
}

interface Receiving extends Pick<Receiver, "write"> {
  url: URL
  from: number
  signal: AbortSignal
}

/** @returns where the response redirects to; null if the body was written */
const receive = async (
  transport: Transport,
  { url, from, signal, write }: Receiving,
): Promise<string | null> => {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<string | null>()
  const request = {
    method: "GET",
    path: url.pathname + url.search,
    headers: {
      "user-agent": "Portico",
      "accept-encoding": "identity",
      ...(from > 0 && { range: `bytes=${from}-` }),
    },
    body: null,
  }
  const fail = (error: unknown): void => {
    handle.cancel()
    reject(error)
  }
  const resume = (): void => handle.resume()
  const succeed = (redirect: string | null): void => {
    if (redirect !== null) handle.cancel()
    resolve(redirect)
  }
  const handle = transport.send(request, createListener({ write, resume, succeed, fail }))
  const abort = (): void => fail(signal.reason)
  signal.addEventListener("abort", abort)
  return promise.finally(() => signal.removeEventListener("abort", abort))
}

/**
 * Downloads a file to the disk, through the proxy if one is set.
 * @throws {DownloadRejectedError | UpstreamError} or the file system's error, or the signal's abort
 *   reason; what was written remains
 */
export const createDownloader = ({ guard, transports }: Deps) => {
  const resolveAllowed = ({ hostname, host }: URL): Promise<string> =>
    guard.resolveAllowed(hostname).catch((error: unknown) => {
      if (!(error instanceof SsrfGuardError)) throw error
      throw new DownloadRejectedError(translatable("download_redirected", { address: host }))
    })

  const openTransport = async (url: URL, isRedirected: boolean): Promise<Transport> => {
    const target = { baseUrl: url.origin, timeouts }
    if (!isRedirected) return transports.open(target)
    // A proxy resolves names itself; this machine may not be able to.
    const isResolvedByProxy = transports.usesProxy(url) && isIP(stripBrackets(url.hostname)) === 0
    const address = isResolvedByProxy ? "" : await resolveAllowed(url)
    return transports.openChecked({ ...target, address })
  }

  return async ({ url: first, path, size, signal }: Download): Promise<void> => {
    const from = await sizeOfFile(path)
    if (from === size) return
    const file = await open(path, "a", 0o600)
    const checkSpace = createSpaceCheck(path)
    let received = 0
    const write = async (chunk: Buffer, append: boolean): Promise<void> => {
      if (received === 0 && !append) await file.truncate(0)
      received += chunk.length
      const total = received + (append ? from : 0)
      if (total > size) throw new DownloadRejectedError(translatable("download_too_large"))
      await checkSpace(received)
      await file.writeFile(chunk)
    }
    try {
      let url = first
      for (let hops = 0; hops <= maxRedirects; hops++) {
        const transport = await openTransport(url, url.origin !== first.origin)
        const location = await receive(transport, { url, from, signal, write }).finally(() =>
          transport.close(),
        )
        if (location === null) return await file.sync()
        url = toRedirectUrl(location, url)
      }
      throw new DownloadRejectedError(translatable("download_redirected_too_often"))
    } finally {
      await file.close()
    }
  }
}

export type DownloadFile = ReturnType<typeof createDownloader>
