import { createHash, createHmac } from "node:crypto"

export interface S3Credentials {
  id: string
  secret: string
  region: string
}

interface SigningRequest {
  method: string
  /** URL-encoded, without the query. */
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  /** SHA-256 of the body, in hex. */
  payload: string
  date: Date
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const hmac = (key: Buffer | string, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest()

/** RFC 3986 encoding, which is stricter than `encodeURIComponent`. */
export const encodeRfc3986 = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )

export const canonicalQuery = (query: Record<string, string>): string =>
  Object.entries(query)
    .map(([name, value]) => `${encodeRfc3986(name)}=${encodeRfc3986(value)}`)
    .sort()
    .join("&")

/**
 * Adds AWS Signature Version 4 headers (service `s3`). Signs the host, date, payload, and all given
 * headers.
 */
export const signHeaders = (
  request: SigningRequest,
  { id, secret, region }: S3Credentials,
): Record<string, string> => {
  const time = request.date.toISOString().replace(/[-:]|\.\d+/g, "")
  const day = time.slice(0, 8)
  const headers: Record<string, string> = {
    ...request.headers,
    "x-amz-content-sha256": request.payload,
    "x-amz-date": time,
  }
  const names = Object.keys(headers).sort()
  const canonical = [
    request.method,
    request.path,
    canonicalQuery(request.query),
    ...names.map((name) => `${name}:${headers[name]}`),
    "",
    names.join(";"),
    request.payload,
  ].join("\n")
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n")
  const key = [region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${secret}`, day))
  const signature = hmac(key, text).toString("hex")
  const credential = `Credential=${id}/${scope}`
  const authorization = `AWS4-HMAC-SHA256 ${credential},SignedHeaders=${names.join(";")},Signature=${signature}`
  return { ...headers, authorization }
}
