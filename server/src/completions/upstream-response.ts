import type { Upstream } from "../connections/connection.ts"
import { upstreamLabel } from "../connections/upstream-errors.ts"
import { Failure } from "../errors.ts"

const isCredentialRejection = (status: number): boolean => status === 401 || status === 403

const isJson = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null
  } catch {
    return false
  }
}

/** Headers that describe the upstream's body, which the gateway replaces. */
const bodyHeaders = /^(content-|etag$|last-modified$)/

export interface ErrorReply {
  status: number
  body: Buffer
  /** Whether the body is the upstream's own. */
  isUpstreamBody: boolean
}

/**
 * Converts an upstream's error. A JSON body keeps its status and bytes; a rejected gateway
 * credential becomes a 502; anything else gets a message from the gateway.
 */
export const toErrorReply = (
  status: number,
  body: Buffer,
  upstream: Upstream | null,
): ErrorReply | Failure => {
  if (isCredentialRejection(status)) {
    const message = `${upstreamLabel(upstream)} rejected the gateway's credential. Contact an administrator.`
    return new Failure("upstream_credentials", message)
  }
  if (status < 400) {
    return new Failure(
      "upstream_broken",
      `${upstreamLabel(upstream)} responded with an unexpected status ${status}.`,
    )
  }
  if (isJson(body.toString("utf8"))) return { status, body, isUpstreamBody: true }
  const message = `${upstreamLabel(upstream)} responded with status ${status} and no readable error message.`
  const type = status < 500 ? "invalid_request_error" : "server_error"
  const error = { message, type, param: null, code: "upstream_error" }
  const wrapped = Buffer.from(JSON.stringify({ error, detail: message }))
  return { status, body: wrapped, isUpstreamBody: false }
}

/** The headers of an error response: names and values in turn. */
export const errorReplyHeaders = (
  forwarded: readonly string[],
  { body, isUpstreamBody }: ErrorReply,
): string[] => {
  const headers: string[] = []
  for (let at = 0; at < forwarded.length; at += 2) {
    const name = forwarded[at] ?? ""
    const replaced = name === "content-type" || (!isUpstreamBody && bodyHeaders.test(name))
    if (!replaced) headers.push(name, forwarded[at + 1] ?? "")
  }
  headers.push("content-type", "application/json", "content-length", `${body.length}`)
  return headers
}

const errorBodyStart = Buffer.from('{"error"')

/** Whether a provider reports an error with a status that means success. */
export const isErrorBody = (body: Buffer): boolean =>
  body.subarray(0, errorBodyStart.length).equals(errorBodyStart)
