import { createHash } from "node:crypto"
import type { Readable } from "node:stream"
import { setTimeout as wait } from "node:timers/promises"
import { type Dispatcher, Pool } from "undici"
import { Failure } from "../errors.ts"
import { canonicalQuery, encodeRfc3986, type S3Credentials, signHeaders } from "./s3-signature.ts"

const connectTimeoutMs = 5000
const headersTimeoutMs = 30_000
const bodyTimeoutMs = 60_000
const maxAttempts = 4
const initialBackoffMs = 200
const emptyBodyHash = createHash("sha256").digest("hex")

interface S3Location extends S3Credentials {
  endpoint: string
  bucket: string
  /** Prefix of all keys; empty or ending in a slash. */
  prefix: string
}

/** Parses `https://KEY:SECRET@host/bucket/prefix?region=…`. */
export const parseS3Url = (text: string): S3Location => {
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
const isOutOfSpace = (storeStatus: number, code: string): boolean =>
  storeStatus === 507 || /StorageFull|QuotaExceeded|InsufficientStorage/.test(code)

/** A failed object store request. The message contains no credentials. */
class S3Error extends Failure {
  override name = "S3Error"
  /** HTTP status; 0 if there was no response. */
  readonly storeStatus: number
  /** The store's error code or the connection error's code; empty if unknown. */
  readonly storeCode: string

  constructor(storeStatus: number, storeCode: string, cause?: unknown) {
    const outcome = storeStatus > 0 ? `returned HTTP ${storeStatus}` : "cannot be reached"
    const code = isOutOfSpace(storeStatus, storeCode) ? "storage_full" : "unavailable"
    super(code, `The object store ${outcome}${storeCode && ` (${storeCode})`}`, { cause })
    this.storeStatus = storeStatus
    this.storeCode = storeCode
  }
}

interface S3Request {
  method: Dispatcher.HttpMethod
  /** Relative to the prefix; absent for the bucket itself. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Buffer
}

interface S3Response {
  headers: Record<string, string | string[] | undefined>
  body: Readable
}

const isTransient = ({ storeStatus, code }: S3Error): boolean =>
  code !== "storage_full" && (storeStatus === 0 || storeStatus === 429 || storeStatus >= 500)

/** A missing bucket or an unknown access key also returns 404, with another code. */
const isMissing = ({ storeStatus, storeCode }: S3Error): boolean =>
  storeStatus === 404 && (storeCode === "NoSuchKey" || storeCode === "")

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
export const elementTexts = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text = ""]) =>
    text
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  )

/** Client for an S3-compatible object store, using path-style URLs. */
export const createS3Client = (location: S3Location) => {
  const { host, origin } = new URL(location.endpoint)
  const pool = new Pool(origin, {
    connections: 16,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
  })

  const send = async ({
    method,
    key,
    query = {},
    headers = {},
    body,
  }: S3Request): Promise<S3Response> => {
    const segments = [
      location.bucket,
      ...(key === undefined ? [] : (location.prefix + key).split("/")),
    ]
    const path = `/${segments.map(encodeRfc3986).join("/")}`
    const payload = body ? createHash("sha256").update(body).digest("hex") : emptyBodyHash
    const date = new Date()
    const all = signHeaders(
      { method, path, query, headers: { ...headers, host }, payload, date },
      location,
    )
    const requested = canonicalQuery(query)
    const reply = await pool.request({
      method,
      path: requested ? `${path}?${requested}` : path,
      headers: all,
      body: body ?? null,
    })
    const { statusCode: status } = reply
    if (status < 300) return reply
    const [code = ""] = elementTexts(await textOf(reply.body), "Code")
    throw new S3Error(status, code)
  }

  /** Retries transient failures. @throws {S3Error} for any other error status */
  const sendWithRetry = async (requested: S3Request): Promise<S3Response> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(requested)
      } catch (thrown) {
        const error = toS3Error(thrown)
        if (attempt >= maxAttempts || !isTransient(error)) throw error
        await wait(initialBackoffMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2))
      }
    }
  }

  return {
    /** Like `sendWithRetry`, but discards the body and returns the headers. */
    run: async (requested: S3Request): Promise<S3Response["headers"]> => {
      const { headers, body } = await sendWithRetry(requested)
      body.resume()
      return headers
    },

    /** Like `sendWithRetry`, but returns the body as text. */
    text: async (requested: S3Request): Promise<string> =>
      textOf((await sendWithRetry(requested)).body),

    /** Like `sendWithRetry`, but returns null if the object is missing. */
    find: async (requested: S3Request): Promise<S3Response | null> => {
      try {
        return await sendWithRetry(requested)
      } catch (error) {
        if (error instanceof S3Error && isMissing(error)) return null
        throw error
      }
    },

    close: (): Promise<void> => pool.destroy(),
  }
}

export type S3Client = ReturnType<typeof createS3Client>
