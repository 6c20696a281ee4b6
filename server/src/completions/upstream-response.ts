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

/** What an upstream says of its own body is not true of ours. */
const ofItsBody = /^(content-|etag$|last-modified$)/

export interface WholeError {
  status: number
  body: Buffer
  /** Whether the body is the upstream's own. */
  own: boolean
}

/**
 * What an upstream's error becomes: its own JSON stays as it is under its own status; our
 * credential refused is our fault, 502; anything that is no JSON is worded by us.
 */
export const wholeError = (
  status: number,
  body: Buffer,
  upstream: Upstream | null,
): WholeError | Failure => {
  if (isCredentialRefusal(status)) {
    const message = `${nameOf(upstream)} refuses the gateway's credential; tell an administrator`
    return new Failure("upstream_credentials", message)
  }
  if (status < 400) {
    return new Failure(
      "upstream_broken",
      `${nameOf(upstream)} answered with an unexpected ${status}`,
    )
  }
  if (isJson(body.toString("utf8"))) return { status, body, own: true }
  const message = `${nameOf(upstream)} answered ${status} without an explanation that can be shown`
  const type = status < 500 ? "invalid_request_error" : "server_error"
  const error = { message, type, param: null, code: "upstream_error" }
  const wrapped = Buffer.from(JSON.stringify({ error, detail: message }))
  return { status, body: wrapped, own: false }
}

/** The headers that go with an error, names and values in turn. */
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
