import type { Upstream } from "../connections/connection.ts"
import { nameOf } from "../connections/upstream-errors.ts"
import { Failure } from "../errors.ts"

const isCredentialRefusal = (status: number): boolean => status === 401 || status === 403

const isJson = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null
  } catch {
    return false
  }
}

/** Headers that describe the upstream's body, which the gateway replaces. */
const ofItsBody = /^(content-|etag$|last-modified$)/

export interface WholeError {
  status: number
  body: Buffer
  /** Whether the body is the upstream's own. */
  own: boolean
}

/**
 * Converts an upstream's error. A JSON body keeps its status and bytes; a rejected gateway
 * credential becomes a 502; anything else gets a message from the gateway.
 */
export const wholeError = (
  status: number,
  body: Buffer,
  upstream: Upstream | null,
): WholeError | Failure => {
  if (isCredentialRefusal(status)) {
    const message = `${nameOf(upstream)} rejected the gateway's credential. Contact an administrator.`
    return new Failure("upstream_credentials", message)
  }
  if (status < 400) {
    return new Failure(
      "upstream_broken",
      `${nameOf(upstream)} responded with an unexpected status ${status}.`,
    )
  }
  if (isJson(body.toString("utf8"))) return { status, body, own: true }
  const message = `${nameOf(upstream)} responded with status ${status} and no readable error message.`
  const type = status < 500 ? "invalid_request_error" : "server_error"
  const error = { message, type, param: null, code: "upstream_error" }
  const wrapped = Buffer.from(JSON.stringify({ error, detail: message }))
  return { status, body: wrapped, own: false }
}

/** The headers of an error response: names and values in turn. */
export const errorHeaders = (passed: readonly string[], { body, own }: WholeError): string[] => {
  const headers: string[] = []
  for (let at = 0; at < passed.length; at += 2) {
    const name = passed[at] ?? ""
    const replaced = name === "content-type" || (!own && ofItsBody.test(name))
    if (!replaced) headers.push(name, passed[at + 1] ?? "")
  }
  headers.push("content-type", "application/json", "content-length", `${body.length}`)
  return headers
}
