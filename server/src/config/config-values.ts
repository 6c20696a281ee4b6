import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import { z } from "zod"
import { stripTrailingSlashes } from "./strip-trailing-slashes.ts"

const secondsByUnit = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const
const bytesByUnit = { "": 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9 } as const

/** A duration such as `500ms`, `30s`, `5m`, `4w`; parsed to seconds. */
export const Duration = z.string().transform((text, context) => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text.trim())
  const unit = match?.[2] as keyof typeof secondsByUnit | undefined
  if (match && unit) return Number(match[1]) * secondsByUnit[unit]
  context.addIssue(`must be a duration such as 500ms, 30s, 5m, 12h, 7d or 4w (got "${text}")`)
  return z.NEVER
})

/** A size such as `500KB` or `2GB` (decimal units); parsed to bytes. */
export const Size = z.string().transform((text, context) => {
  const match = /^(\d+(?:\.\d+)?)\s*(|B|KB|MB|GB)$/i.exec(text.trim())
  const unit = match?.[2]?.toUpperCase() as keyof typeof bytesByUnit | undefined
  if (match && unit !== undefined) return Math.round(Number(match[1]) * bytesByUnit[unit])
  context.addIssue(`must be a size such as 500KB, 50MB or 2GB (got "${text}")`)
  return z.NEVER
})

export const Flag = z.string().transform((text, context) => {
  if (/^(true|1|yes|on)$/i.test(text)) return true
  if (/^(false|0|no|off)$/i.test(text)) return false
  context.addIssue(`must be true or false (got "${text}")`)
  return z.NEVER
})

/** A per-user limit and a total limit, such as `100/2000`. */
const limitPair = <T extends z.ZodType<number, string>>(part: T, example: string) =>
  z.string().transform((text, context) => {
    const [perUser, total, ...rest] = text.split("/").map((half) => part.safeParse(half.trim()))
    if (perUser?.success && total?.success && rest.length === 0) {
      const bounds = { perUser: perUser.data, total: total.data }
      if (bounds.perUser > 0 && bounds.perUser <= bounds.total) return bounds
    }
    context.addIssue(`must be a limit per user and a total, such as ${example} (got "${text}")`)
    return z.NEVER
  })

const port = "must be a whole number from 0 to 65535"
export const Port = z.coerce.number<string>(port).int(port).min(0, port).max(65_535, port)

const count = "must be a whole number of at least 1"
export const PositiveInteger = z.coerce.number<string>(count).int(count).min(1, count)

export const CountBounds = limitPair(PositiveInteger, "100/2000")
export const SizeBounds = limitPair(Size, "250MB/1GB")

export const isHttpUrl = (text: string): boolean => {
  const protocol = URL.canParse(text) ? new URL(text).protocol : ""
  return protocol === "http:" || protocol === "https:"
}

export const Url = z
  .string()
  .refine(isHttpUrl, { error: (issue) => `must be an http(s) URL (got "${issue.input}")` })
  .transform(stripTrailingSlashes)

/** Path of a file; parsed to its contents. */
export const FileContents = z.string().transform((path, context) => {
  try {
    return readFileSync(path)
  } catch (error) {
    context.addIssue(`must be a readable file (${error instanceof Error ? error.message : error})`)
    return z.NEVER
  }
})

/** URL of a proxy, which may contain a user and a password. */
export const ProxyUrl = z.string().refine(isHttpUrl, {
  // It may contain a password.
  error: "must be an http(s) URL, such as http://proxy.example.com:3128",
})

/** URL of an object store bucket: `https://KEY:SECRET@host/bucket`. */
export const S3Url = z.string().refine((text) => {
  if (!isHttpUrl(text)) return false
  const { username, password, pathname } = new URL(text)
  return username !== "" && password !== "" && pathname.length > 1
}, "must be https://KEY:SECRET@host/bucket, with special characters percent-encoded")

const isOrigin = (text: string): boolean => {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/.test(text) || !URL.canParse(text)) return false
  const { protocol, origin } = new URL(text)
  return !/^https?:$/.test(protocol) || origin === text
}

/** Origins as browsers send them, such as `https://chat.example.com` or `app://obsidian.md`. */
export const Origins = z.string().transform((text, context) => {
  const origins = text
    .toLowerCase()
    .split(/[\s;,]+/)
    .filter(Boolean)
    .map(stripTrailingSlashes)
  for (const origin of origins) {
    if (isOrigin(origin)) continue
    context.addIssue(
      `must be exact origins without a path, such as https://chat.example.com or http://localhost:5173 (got "${origin}")`,
    )
  }
  return origins
})

/** The root of a host, as an origin: links and cookies of the pages do not support a path. */
export const RootUrl = z
  .string()
  .refine(isHttpUrl, {
    abort: true,
    error: (issue) => `must be an http(s) URL (got "${issue.input}")`,
  })
  .transform(stripTrailingSlashes)
  .refine((text) => new URL(text).href === `${new URL(text).origin}/`, {
    abort: true,
    error: (issue) =>
      `must not have a path, a query or a user: the gateway needs a host name of its own (got "${issue.input}")`,
  })
  .transform((text) => new URL(text).origin)

export const splitAtSemicolons = (text: string): string[] =>
  text.split(";").map((item) => item.trim())
export const Urls = z
  .string()
  .transform((text) => splitAtSemicolons(text).filter(Boolean))
  .pipe(z.array(Url))

const isCidr = (text: string): boolean => {
  const [address = "", bits] = text.split("/")
  const version = isIP(address)
  const maxBits = version === 4 ? 32 : 128
  return version !== 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= maxBits))
}

export const Cidrs = z.string().transform((text, context) => {
  const cidrs = splitAtSemicolons(text.replaceAll(",", ";")).filter(Boolean)
  for (const cidr of cidrs) {
    if (isCidr(cidr)) continue
    context.addIssue(`must list IP addresses or CIDR ranges such as 10.0.0.0/8 (got "${cidr}")`)
  }
  return cidrs
})

/** Hosts and CIDR ranges, separated by commas as everywhere in `NO_PROXY`. */
export const ProxyExceptions = z.string().transform((text, context) => {
  const items = text
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter(Boolean)
  for (const item of items) {
    if (!item.includes("/") || isCidr(item)) continue
    context.addIssue(
      `must list hosts, IP addresses or CIDR ranges, such as gpu1,.example.com,10.0.0.0/8 (got "${item}")`,
    )
  }
  return items
})

export const BearerToken = z
  .string()
  .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces")

export const RatePerMinute = z.string().transform((text, context) => {
  if (/^off$/i.test(text)) return null
  const [, writes, reads] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  if (Number(writes) > 0 && Number(reads) > 0) {
    return { writes: Number(writes), reads: Number(reads) }
  }
  context.addIssue(`must be off, or writes/reads per minute such as 600/1000 (got "${text}")`)
  return z.NEVER
})

/** Separated by semicolons, commas or spaces; `none` is an empty list. */
export const MetricsLabels = z
  .string()
  .transform((text) => (text === "none" ? [] : text.split(/[\s;,]+/).filter(Boolean)))
  .pipe(
    z.array(
      z.enum(["group", "user", "key"], {
        error: (issue) => `must be a list of group, user and key, or none (got "${issue.input}")`,
      }),
    ),
  )
  .transform((labels) => [...new Set(labels)])

/** Environment variables, unparsed. */
export type Variables = Readonly<Record<string, string | undefined>>

/** Tesseract's language codes, such as `eng,deu`; `none` is an empty list. */
export const OcrLanguages = z
  .string()
  .transform((text) => (text === "none" ? [] : text.split(/[,+]/).map((code) => code.trim())))
  .pipe(
    z.array(
      z.string().regex(/^[a-z]{3}(_[a-z]+)*$/i, {
        error: (issue) =>
          `must be languages of Tesseract such as eng,deu, or none (got "${issue.input}")`,
      }),
    ),
  )
