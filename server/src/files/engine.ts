import { createReadStream } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { request } from "undici"

/** Reads what we cannot: text of a file on the disk, written to another. */
export type Engine = (from: string, to: string, signal: AbortSignal) => Promise<void>

/**
 * An Apache Tika server, which recognises text in pictures where it is set up to.
 * @param seconds for one document
 */
export const createTika =
  (url: string, seconds: number): Engine =>
  async (from, to, signal) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)])
    const { statusCode, body } = await request(`${url}/tika`, {
      method: "PUT",
      headers: { accept: "text/plain", "content-type": "application/octet-stream" },
      body: createReadStream(from),
      signal: limit,
    })
    if (statusCode !== 200 && statusCode !== 204) {
      await body.dump()
      throw new Error(`the extraction engine answered ${statusCode}`)
    }
    try {
      await writeFile(to, body, { mode: 0o600 })
    } catch (error) {
      await rm(to, { force: true })
      throw error
    }
  }
