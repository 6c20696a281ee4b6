import { Readable } from "node:stream"
import { fail } from "../errors.ts"
import type { NodeRequestContext } from "../http/request-context.ts"
import { streamBytes } from "../http/stream-response.ts"
import { translatable } from "../i18n/message.ts"
import type { StoredFile } from "./file-store.ts"
import type { ObjectStore } from "./object-store.ts"

/** Types that a browser could execute if the file were displayed on the gateway's origin. */
const executableTypes = /html|xml|svg|script|flash|wasm/

const safeContentType = (type: string): string =>
  /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/.test(type) && !executableTypes.test(type)
    ? type
    : "application/octet-stream"

const contentDisposition = (filename: string): string => {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_")
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/**
 * First and last byte, inclusive. Null means the whole file; a request for several ranges also gets
 * the whole file.
 */
const parseRange = (header: string | undefined, size: number) => {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "") ?? []
  if (from === "" && to === "") return null
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1)
  if (start > end || start >= size) {
    fail("range_not_satisfiable", `The range is outside the file (${size} bytes).`, {
      headers: { "content-range": `bytes */${size}` },
    })
  }
  return { start, end }
}

/**
 * A download response with range support (RFC 9110 §14). The headers prevent browsers from
 * executing the content.
 */
export const createContentResponse = async (
  objects: ObjectStore,
  { hash, size, filename, content_type }: StoredFile,
  context: NodeRequestContext,
): Promise<Response> => {
  const { method, headers: requested } = context.incoming
  const etag = `"${hash}"`
  const headers: Record<string, string> = {
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    "content-disposition": contentDisposition(filename),
    "content-security-policy": "sandbox; default-src 'none'",
    "content-type": safeContentType(content_type),
    "x-content-type-options": "nosniff",
  }
  if (requested["if-none-match"] === etag) return new Response(null, { status: 304, headers })
  const isStale = (requested["if-range"] ?? etag) !== etag
  const range = isStale ? null : parseRange(requested.range, size)
  const length = range ? range.end - range.start + 1 : size
  headers["content-length"] = String(length)
  if (range) headers["content-range"] = `bytes ${range.start}-${range.end}/${size}`
  const status = range ? 206 : 200
  if (method === "HEAD") return new Response(null, { status, headers })
  const bytes = await objects.read(hash, range ?? undefined)
  if (!bytes) return fail("file_lost", translatable("file_content_lost"))
  const body = streamBytes(Readable.toWeb(bytes) as ReadableStream, context)
  return new Response(body, { status, headers })
}
