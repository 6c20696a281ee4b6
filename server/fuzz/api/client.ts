import { setTimeout as sleep } from "node:timers/promises"
import { Pool } from "undici"
import { bytesOf, type Draft } from "./request.ts"

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  ms: number
  /** An endless reply, which the client closed. */
  isCut: boolean
}

/** Maximum number of bytes to read of a reply. */
const maxBytes = 4_000_000
/** How long to read an endless reply. */
const listenMs = 30
const timeoutMs = 30_000

const isEndless = (type: string): boolean =>
  type.includes("event-stream") || type.includes("ndjson")

const targetOf = ({ path, query }: Draft): string => {
  const encoded = query.map(
    ([name, value]) =>
      `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
  )
  return query.length > 0 ? `${path}?${encoded.join("&")}` : path
}

/** Excludes requests that the HTTP client library itself refuses to send. */
export const isSendable = ({ path, headers }: Draft): boolean =>
  /^[\x21-\xff]+$/.test(path) &&
  Object.values(headers).every((value) => /^[\t\x20-\xff]*$/.test(value))

export const createClient = (url: string, connections: number) => {
  const pool = new Pool(url, {
    connections,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })

  const readBody = async (body: AsyncIterable<Uint8Array>, endless: boolean) => {
    const chunks: Uint8Array[] = []
    let length = 0
    let isCut = false
    const read = async (): Promise<void> => {
      for await (const chunk of body) {
        chunks.push(chunk)
        length += chunk.length
        if (length > maxBytes) return
      }
    }
    if (endless) {
      isCut = await Promise.race([
        read().then(
          () => false,
          () => false,
        ),
        sleep(listenMs, true),
      ])
    } else {
      await read()
      isCut = length > maxBytes
    }
    return { text: Buffer.concat(chunks).toString("utf8"), isCut }
  }

  return {
    /** @throws if no complete reply arrives in time */
    send: async (draft: Draft): Promise<Reply> => {
      const begun = performance.now()
      const ending = new AbortController()
      const timeout = AbortSignal.timeout(timeoutMs)
      const isBodiless = draft.method === "GET" || draft.method === "HEAD"
      const { statusCode, headers, body } = await pool.request({
        path: targetOf(draft),
        method: draft.method,
        headers: draft.headers,
        body: isBodiless ? null : (bytesOf(draft) ?? null),
        signal: AbortSignal.any([ending.signal, timeout]),
      })
      body.on("error", () => {})
      const type = String(headers["content-type"] ?? "")
      const read = await readBody(body, isEndless(type))
      if (read.isCut) ending.abort()
      return { status: statusCode, headers, ...read, ms: performance.now() - begun }
    },
    close: () => pool.destroy(),
  }
}

export type Client = ReturnType<typeof createClient>
