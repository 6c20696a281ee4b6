import { isIP } from "node:net"
import { z } from "zod"
import { withoutTrailingSlashes } from "./trailing-slashes.ts"

const secondsByUnit = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const
const bytesByUnit = { "": 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9 } as const

/** A span of time such as `500ms`, `30s`, `5m`, `4w`; read into seconds. */
export const Duration = z.string().transform((text, context) => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text.trim())
  const unit = match?.[2] as keyof typeof secondsByUnit | undefined
  if (match && unit) return Number(match[1]) * secondsByUnit[unit]
  context.addIssue(`"${text}" is no span of time; write 500ms, 30s, 5m, 12h, 7d or 4w`)
  return z.NEVER
})

export const Size = z.string().transform((text, context) => {
  const match = /^(\d+(?:\.\d+)?)\s*(|B|KB|MB|GB)$/i.exec(text.trim())
  const unit = match?.[2]?.toUpperCase() as keyof typeof bytesByUnit | undefined
  if (match && unit !== undefined) return Math.round(Number(match[1]) * bytesByUnit[unit])
  context.addIssue(`"${text}" is no size; write 500KB, 50MB or 2GB`)
  return z.NEVER
})

export const Flag = z.string().transform((text, context) => {
  if (/^(true|1|yes|on)$/i.test(text)) return true
  if (/^(false|0|no|off)$/i.test(text)) return false
  context.addIssue(`"${text}" is neither true nor false`)
  return z.NEVER
})

/** What one user may have and all together, such as `100/2000`. */
const pairOf = <T extends z.ZodType<number, string>>(part: T, example: string) =>
  z.string().transform((text, context) => {
    const [perUser, total, ...rest] = text.split("/").map((half) => part.safeParse(half.trim()))
    if (perUser?.success && total?.success && rest.length === 0) {
      const bounds = { perUser: perUser.data, total: total.data }
      if (bounds.perUser > 0 && bounds.perUser <= bounds.total) return bounds
    }
    context.addIssue(`"${text}" is no pair of limits; write one user's and the sum: ${example}`)
    return z.NEVER
  })

const port = "must be a whole number from 0 to 65535"
export const Port = z.coerce.number<string>(port).int(port).min(0, port).max(65_535, port)

const count = "must be a whole number above 0"
export const Count = z.coerce.number<string>(count).int(count).min(1, count)

export const CountBounds = pairOf(Count, "100/2000")
export const SizeBounds = pairOf(Size, "250MB/1GB")

export const httpUrl = (text: string): boolean => {
  const protocol = URL.canParse(text) ? new URL(text).protocol : ""
  return protocol === "http:" || protocol === "https:"
}

export const Url = z
  .string()
  .refine(httpUrl, { error: (issue) => `"${issue.input}" is no http(s) address` })
  .transform(withoutTrailingSlashes)

/** The address of an object store: `https://KEY:SECRET@host/bucket`. */
export const S3Url = z.string().refine((text) => {
  if (!httpUrl(text)) return false
  const { username, password, pathname } = new URL(text)
  return username !== "" && password !== "" && pathname.length > 1
}, "must be https://KEY:SECRET@host/bucket, with what is special in them encoded")

export const items = (text: string): string[] => text.split(";").map((item) => item.trim())
export const Urls = z
  .string()
  .transform((text) => items(text).filter(Boolean))
  .pipe(z.array(Url))

export const Cidrs = z.string().transform((text, context) => {
  const cidrs = items(text.replaceAll(",", ";")).filter(Boolean)
  for (const cidr of cidrs) {
    const [address = "", bits] = cidr.split("/")
    const version = isIP(address)
    const max = version === 4 ? 32 : 128
    if (version === 0 || (bits !== undefined && !(/^\d+$/.test(bits) && Number(bits) <= max))) {
      context.addIssue(`"${cidr}" is no address or CIDR range such as 10.0.0.0/8`)
    }
  }
  return cidrs
})

export const BearerToken = z
  .string()
  .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces")

export const RateLimit = z.string().transform((text, context) => {
  if (/^off$/i.test(text)) return null
  const [, writes, reads] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  if (Number(writes) > 0 && Number(reads) > 0) {
    return { writes: Number(writes), reads: Number(reads) }
  }
  context.addIssue(`"${text}" is no rate; write off, or writes/reads a minute such as 600/1000`)
  return z.NEVER
})

/** The environment, as it was set. */
export type Variables = Readonly<Record<string, string | undefined>>
