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
  /** Before all keys; empty, or with a slash at its end. */
  prefix: string
}

/** Reads `https://KEY:SECRET@host/bucket/prefix?region=…`. */
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

/** 507 Insufficient Storage, and what stores call a bucket or a disk that holds no more. */
const isOutOfSpace = (answered: number, code: string): boolean =>
  answered === 507 || /StorageFull|QuotaExceeded|InsufficientStorage/.test(code)

/** The object store did not do what it was asked; our keys are not told. */
class S3Error extends Failure {
  override name = "S3Error"
  /** Its status; 0 where there was no answer. */
  readonly answered: number
  /** The store's own code, or that of a connection that failed; empty where it gave none. */
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
  /** Below the prefix; the bucket itself where it is left out. */
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

/** A bucket that is not there, or a key that is not known, is answered 404 too. */
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

/** The text of an XML element; the store's lists have neither attributes nor nesting of a name. */
export const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text = ""]) =>
    text
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  )

/** Speaks with an S3-compatible object store, by paths and not by host names. */
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

  /** Again after failures that pass. @throws {S3Error} for a refusal */
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

    /** The same, with the whole reply as text. */
    text: async (asked: Asked): Promise<string> => textOf((await ask(asked)).body),

    /** The same; null for what is not there. */
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
