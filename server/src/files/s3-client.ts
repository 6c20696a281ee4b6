import { createHash } from "node:crypto"
import type { Readable } from "node:stream"
import { setTimeout as wait } from "node:timers/promises"
import { type Dispatcher, Pool } from "undici"
import { Failure } from "../errors.ts"
import { encodeSegment, queryString, type S3Keys, signed } from "./s3-signature.ts"

const connectMs = 5000
const headMs = 30_000
const silenceMs = 60_000
const tries = 4
const firstPauseMs = 200
const nothing = createHash("sha256").digest("hex")

interface S3Place extends S3Keys {
  endpoint: string
  bucket: string
  /** Prefix of all keys; empty or ending in a slash. */
  prefix: string
}

/** Parses `https://KEY:SECRET@host/bucket/prefix?region=…`. */
export const readS3Url = (text: string): S3Place => {
  const url = new URL(text)
  const [bucket = "", ...rest] = url.pathname.split("/").filter(Boolean).map(decodeURIComponent)
  return {
    endpoint: url.origin,
    bucket,
    prefix: rest.length > 0 ? `${rest.join("/")}/` : "",
    id: decodeURIComponent(url.username),
    secret: decodeURIComponent(url.password),
    region: url.searchParams.get("region") ?? "us-east-1",
  }
}

/** HTTP 507, or the codes that object stores use for a full bucket or disk. */
const isOutOfSpace = (answered: number, code: string): boolean =>
  answered === 507 || /StorageFull|QuotaExceeded|InsufficientStorage/.test(code)

/** A failed object store request. The message contains no credentials. */
class S3Error extends Failure {
  override name = "S3Error"
  /** HTTP status; 0 if there was no response. */
  readonly answered: number
  /** The store's error code or the connection error's code; empty if unknown. */
  readonly why: string

  constructor(answered: number, why: string, cause?: unknown) {
    const told = answered > 0 ? `returned HTTP ${answered}` : "cannot be reached"
    const code = isOutOfSpace(answered, why) ? "storage_full" : "unavailable"
    super(code, `The object store ${told}${why && ` (${why})`}`, { cause })
    this.answered = answered
    this.why = why
  }
}

interface Asked {
  method: Dispatcher.HttpMethod
  /** Relative to the prefix; absent for the bucket itself. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Buffer
}

interface S3Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Readable
}

const isPassing = ({ answered, code }: S3Error): boolean =>
  code !== "storage_full" && (answered === 0 || answered === 429 || answered >= 500)

/** A missing bucket or an unknown access key also returns 404, with another code. */
const isMissing = ({ answered, why }: S3Error): boolean =>
  answered === 404 && (why === "NoSuchKey" || why === "")

const toS3Error = (error: unknown): S3Error =>
  error instanceof S3Error
    ? error
    : new S3Error(0, error instanceof Error && "code" in error ? String(error.code) : "", error)

const textOf = async (body: Readable): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/**
 * Text of all elements with this name. S3 lists have no attributes and no nested elements of the
 * same name.
 */
export const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text = ""]) =>
    text
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  )

/** Client for an S3-compatible object store, using path-style URLs. */
export const createS3Client = (place: S3Place) => {
  const { host, origin } = new URL(place.endpoint)
  const pool = new Pool(origin, {
    connections: 16,
    connect: { timeout: connectMs },
    headersTimeout: headMs,
    bodyTimeout: silenceMs,
  })

  const send = async ({ method, key, query = {}, headers = {}, body }: Asked): Promise<S3Reply> => {
    const segments = [place.bucket, ...(key === undefined ? [] : (place.prefix + key).split("/"))]
    const path = `/${segments.map(encodeSegment).join("/")}`
    const payload = body ? createHash("sha256").update(body).digest("hex") : nothing
    const date = new Date()
    const all = signed({ method, path, query, headers: { ...headers, host }, payload, date }, place)
    const asked = queryString(query)
    const reply = await pool.request({
      method,
      path: asked ? `${path}?${asked}` : path,
      headers: all,
      body: body ?? null,
    })
    const { statusCode: status } = reply
    if (status < 300) return { status, headers: reply.headers, body: reply.body }
    const [code = ""] = elements(await textOf(reply.body), "Code")
    throw new S3Error(status, code)
  }

  /** Retries transient failures. @throws {S3Error} for any other error status */
  const ask = async (asked: Asked): Promise<S3Reply> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(asked)
      } catch (thrown) {
        const error = toS3Error(thrown)
        if (attempt >= tries || !isPassing(error)) throw error
        await wait(firstPauseMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2))
      }
    }
  }

  return {
    ask,

    /** Like `sendWithRetry`, but returns the body as text. */
    text: async (asked: Asked): Promise<string> => textOf((await ask(asked)).body),

    /** Like `sendWithRetry`, but returns null if the object is missing. */
    find: async (asked: Asked): Promise<S3Reply | null> => {
      try {
        return await ask(asked)
      } catch (error) {
        if (error instanceof S3Error && isMissing(error)) return null
        throw error
      }
    },

    close: (): Promise<void> => pool.destroy(),
  }
}

export type S3Client = ReturnType<typeof createS3Client>
