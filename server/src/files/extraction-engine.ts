import { randomUUID } from "node:crypto"
import { createReadStream } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { Readable } from "node:stream"
import { z } from "zod"
import { toProcessingError } from "./processing-error.ts"

/** An external service that extracts text from formats the gateway cannot read itself. */
export interface ExtractionEngine {
  /** Reported as the format of the files it reads. */
  name: string
  /** Filename extension of its output, without the dot. */
  fileExtension: string
  /** Extracts the text of the file at `from` and writes it to `to`. */
  /** @throws {ProcessingError} if the engine refuses the document */
  read(from: string, to: string, about: { filename: string; signal: AbortSignal }): Promise<void>
}

interface EngineSettings {
  url: string
  /** Timeout for one document, in seconds. */
  seconds: number
}

/** An engine failure in the gateway's own wording; never quotes the engine's response. */
class EngineError extends Error {
  override readonly name = "EngineError"
}

/** Not about the document: credentials, the address, and load. */
const statusesOfTheService: ReadonlySet<number> = new Set([401, 403, 404, 408, 429])

/** A document that the engine refuses is refused again; after any other answer it is retried. */
const statusError = (status: number): Error => {
  const error = new EngineError(`the extraction engine returned HTTP ${status}`)
  const isRefusal = status >= 400 && status < 500 && !statusesOfTheService.has(status)
  return isRefusal ? toProcessingError(error) : error
}

/** Limit for one document's text, well above the size of any real document. */
const maxTextBytes = 256_000_000

/** @throws {EngineError} when the body exceeds `maxTextBytes` */
const limitSize = async function* (body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxTextBytes) {
      throw new EngineError(`the extraction engine's response exceeds ${maxTextBytes / 1e6} MB`)
    }
    yield chunk
  }
}

/** Removes the file again if writing fails, so no partial text remains. */
const writeOrRemove = async (to: string, text: Parameters<typeof writeFile>[1]): Promise<void> => {
  try {
    await writeFile(to, text, { mode: 0o600 })
  } catch (error) {
    await rm(to, { force: true })
    throw error
  }
}

/** Apache Tika server. Tika runs OCR on images if it is configured to. */
const createTika = ({ url, seconds }: EngineSettings): ExtractionEngine => ({
  name: "tika",
  fileExtension: "txt",
  read: async (from, to, { signal }) => {
    const { request } = await import("undici")
    const { statusCode, body } = await request(`${url}/tika`, {
      method: "PUT",
      headers: { accept: "text/plain", "content-type": "application/octet-stream" },
      body: createReadStream(from),
      signal: AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]),
    })
    if (statusCode !== 200 && statusCode !== 204) {
      await body.dump()
      throw statusError(statusCode)
    }
    await writeOrRemove(to, limitSize(body))
  },
})

/** Docling detects the format by the filename's extension, so the form includes the name. */
const multipartBody = async function* (
  path: string,
  { filename, boundary }: { filename: string; boundary: string },
): AsyncGenerator<string | Buffer> {
  for (const [name, value] of [
    ["to_formats", "md"],
    ["image_export_mode", "placeholder"],
  ]) {
    yield `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  }
  const safe = filename.replace(/[^\w. -]/g, "_")
  yield `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="${safe}"\r\n`
  yield "content-type: application/octet-stream\r\n\r\n"
  yield* createReadStream(path)
  yield `\r\n--${boundary}--\r\n`
}

const DoclingResponse = z.object({ document: z.object({ md_content: z.string().nullable() }) })

const readMarkdown = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  try {
    const { document } = DoclingResponse.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")))
    return document.md_content ?? ""
  } catch {
    throw new EngineError("the extraction engine's response is not a converted document")
  }
}

/** docling-serve: runs OCR on images and returns documents as Markdown. */
const createDocling = ({ url, seconds }: EngineSettings): ExtractionEngine => ({
  name: "docling",
  fileExtension: "md",
  read: async (from, to, { filename, signal }) => {
    const boundary = randomUUID()
    const { request } = await import("undici")
    const { statusCode, body } = await request(`${url}/v1/convert/file`, {
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": `multipart/form-data; boundary=${boundary}`,
      },
      body: Readable.from(multipartBody(from, { filename, boundary })),
      headersTimeout: seconds * 1000,
      signal: AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]),
    })
    if (statusCode !== 200) {
      await body.dump()
      throw statusError(statusCode)
    }
    await writeOrRemove(to, await readMarkdown(limitSize(body)))
  },
})

/** Maps connection errors to an `EngineError`. Local file system errors are returned unchanged. */
const toEngineError = (
  error: unknown,
  { seconds }: EngineSettings,
  signal: AbortSignal,
): unknown => {
  if (signal.aborted || !(error instanceof Error) || error instanceof EngineError) return error
  if (error.name === "TimeoutError" || error.name === "HeadersTimeoutError") {
    return new EngineError(`the extraction engine did not answer within ${seconds} seconds`)
  }
  const code = "code" in error ? String(error.code) : ""
  if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/.test(code)) {
    return new EngineError("the extraction engine cannot be reached")
  }
  const isOfConnection = /^(UND_ERR_|HPE_|ECONNRESET$|EPIPE$)/.test(code)
  return isOfConnection
    ? new EngineError(
        "the extraction engine closed the connection before the response was complete",
      )
    : error
}

export const createExtractionEngine = (
  kind: "tika" | "docling",
  settings: EngineSettings,
): ExtractionEngine => {
  const engine = kind === "tika" ? createTika(settings) : createDocling(settings)
  return {
    ...engine,
    read: async (from, to, about) => {
      try {
        await engine.read(from, to, about)
      } catch (error) {
        throw toEngineError(error, settings, about.signal)
      }
    },
  }
}
