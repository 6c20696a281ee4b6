import { Client, FormData } from "undici"

const maxMs = 30_000
/** Anything beyond this is read and discarded. */
const maxBytes = 4_000_000

export interface HttpReply {
  status: number
  type: string
  text: string
  /** The connection was closed before the end of the reply. */
  isCut: boolean
}

/** A keep-alive connection to the gateway for sequential requests. */
export const createConnection = (url: string, key: string) => {
  const client = new Client(url, {
    pipelining: 1,
    headersTimeout: maxMs,
    bodyTimeout: maxMs,
    keepAliveTimeout: 60_000,
  })

  const readAll = async (body: AsyncIterable<Buffer>) => {
    const chunks: Buffer[] = []
    let bytes = 0
    try {
      for await (const chunk of body) {
        bytes += chunk.length
        if (bytes <= maxBytes) chunks.push(chunk)
      }
      return { text: Buffer.concat(chunks).toString("utf8"), isCut: false }
    } catch (error) {
      if (error instanceof Error && error.name === "TimeoutError") throw error
      return { text: Buffer.concat(chunks).toString("utf8"), isCut: true }
    }
  }

  return {
    /** @throws if no status, or no end of the body, arrives in time */
    call: async (
      method: "GET" | "POST" | "DELETE",
      path: string,
      value?: unknown,
    ): Promise<HttpReply> => {
      const isForm = value instanceof FormData
      const { statusCode, headers, body } = await client.request({
        method,
        path,
        headers: { authorization: `Bearer ${key}` },
        body: isForm ? value : value === undefined ? null : JSON.stringify(value),
        signal: AbortSignal.timeout(maxMs),
      })
      const read = await readAll(body)
      return { status: statusCode, type: String(headers["content-type"] ?? ""), ...read }
    },
    close: () => client.destroy(),
  }
}

export type Connection = ReturnType<typeof createConnection>
