import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { extname, join } from "node:path"
import { Readable } from "node:stream"
import type { MiddlewareHandler } from "hono"
import type { HonoEnv } from "./http/request-context.ts"

/** Folder of the built web app. */
export const webDistFolder = join(import.meta.dirname, "../../web/dist")

const typeByExtension: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
  ".woff": "font/woff",
}

/**
 * Only same-origin scripts and connections. Inline styles are allowed, as formulas and diagrams
 * need them and styles cannot execute code.
 */
const policy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ")

const securityHeaders = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(self)",
}

const maxFilePath = 255

const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const

const filePath = /^\/[A-Za-z0-9_./-]+$/

const fileExtension = /\.[a-z][a-z0-9]*$/i
/** Names of models may end like those of files. */
const modelPage = /^\/models\/view\//
/** Versions of an API, and hidden files, such as those below `/.well-known/`. */
const machinePath = /^\/v\d[a-z0-9]*(\/|$)|\/\./i

const decodePath = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

const acceptsPage = (accepted: string): boolean =>
  /text\/html/i.test(accepted) ||
  (/text\/\*|\*\/\*/.test(accepted) && !/application\/json/i.test(accepted))

/** Whether a browser shows what it gets; clients with a wrong base address must get an error. */
const isForPage = ({ headers }: Request, encodedPath: string): boolean => {
  const path = decodePath(encodedPath)
  const hasKey = /^bearer /i.test(headers.get("authorization") ?? "") || headers.has("x-api-key")
  if (hasKey || !acceptsPage(headers.get("accept") ?? "*/*")) return false
  return modelPage.test(path) || !(machinePath.test(path) || fileExtension.test(path))
}

/** Whether `path` can name a file: no empty segments, none that starts or ends with a dot. */
const isFilePath = (path: string): boolean =>
  path.length <= maxFilePath && filePath.test(path) && !/[./](?:[./]|$)/.test(path)

const notBuiltMessage =
  "Portico is running, but its web app has not been built. Run: npm run build\n"

interface StaticFile {
  path: string
  size: number
  modified: number
}

const fileAt = async (path: string): Promise<StaticFile | undefined> => {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() ? { path, size: found.size, modified: found.mtimeMs } : undefined
}

const findEncodedFile = async (path: string, accepted: string) => {
  for (const [encoding, suffix] of encodings) {
    if (!accepted.includes(encoding)) continue
    const file = await fileAt(path + suffix)
    if (file) return { file, encoding }
  }
  const file = await fileAt(path)
  return file && { file, encoding: undefined }
}

interface Deps {
  /** Folder of the built web app. */
  folder: string
  /** First path segments reserved for the API; pages are never served below them. */
  reserved: readonly string[]
}

/**
 * Serves the web app's files, and `index.html` for every other path that a browser may show, so that
 * deep links work. Files with a hash in their name are cached indefinitely.
 */
export const serveWebApp = ({ folder, reserved }: Deps): MiddlewareHandler<HonoEnv> => {
  const reservedSegments = new Set(reserved)

  const reply = async (request: Request, name: string): Promise<Response | undefined> => {
    const path = join(folder, name)
    const found = await findEncodedFile(path, request.headers.get("accept-encoding") ?? "")
    if (!found) return undefined
    const { file, encoding } = found
    const etag = `"${file.size.toString(36)}-${Math.round(file.modified).toString(36)}"`
    const headers = {
      ...securityHeaders,
      etag,
      vary: "accept-encoding, origin",
      "cache-control": name.startsWith("/assets/")
        ? "public, max-age=31536000, immutable"
        : "no-cache",
      "content-type": typeByExtension[extname(name)] ?? "application/octet-stream",
      ...(encoding && { "content-encoding": encoding }),
    }
    if (request.headers.get("if-none-match") === etag) {
      return new Response(null, { status: 304, headers })
    }
    const length = { "content-length": String(file.size) }
    if (request.method === "HEAD") return new Response(null, { headers: { ...headers, ...length } })
    const body = Readable.toWeb(createReadStream(file.path)) as ReadableStream
    return new Response(body, { headers: { ...headers, ...length } })
  }

  const findPage = async (request: Request, path: string): Promise<Response | undefined> => {
    const file = isFilePath(path) ? await reply(request, path) : undefined
    // A missing asset of an older build returns 404, not the page.
    if (file || path.startsWith("/assets/")) return file
    if (path !== "/" && !isForPage(request, path)) return undefined
    return reply(request, "/index.html")
  }

  return async (honoContext, next) => {
    const { path, raw } = honoContext.req
    if (reservedSegments.has(path.split("/")[1]?.toLowerCase() ?? "")) return next()
    const page = await findPage(raw, path)
    if (page) return page
    return path === "/" ? honoContext.text(notBuiltMessage) : next()
  }
}
