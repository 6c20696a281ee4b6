import type { Connection } from "../../connections/connection.ts"
import { upstreamLabel } from "../../connections/upstream-errors.ts"
import { Failure } from "../../errors.ts"
import { parseJson } from "../../formats/json-values.ts"
import { referenceHeader, referenceHeaderName } from "../../http/failure-response.ts"
import { type TranslatableMessage, toReference, translatable } from "../../i18n/message.ts"

const isCredentialRejection = (status: number): boolean => status === 401 || status === 403

const isObjectOrArray = (value: unknown): boolean => typeof value === "object" && value !== null

/** Headers that describe the upstream's body, which the gateway replaces. */
const bodyHeaders = /^(content-|etag$|last-modified$)/
/** Headers that only the gateway sets. */
const ownHeaders = new Set(["content-type", referenceHeaderName])

export interface ProviderErrorReply {
  status: number
  body: Buffer
  /** The gateway's own message in the body; null if the body is the upstream's. */
  message: TranslatableMessage | null
}

/**
 * Converts an upstream's error. A JSON body keeps its status and bytes; a rejected gateway
 * credential becomes a 502; anything else gets a message from the gateway.
 */
export const toErrorReply = (
  status: number,
  body: Buffer,
  connection: Connection | null,
): ProviderErrorReply | Failure => {
  const provider = upstreamLabel(connection)
  if (isCredentialRejection(status)) {
    const message = translatable("provider_credential_rejected", { provider })
    return new Failure("upstream_credentials", message)
  }
  if (status < 400) {
    const message = translatable("provider_unexpected_status", { provider, status })
    return new Failure("upstream_broken", message)
  }
  if (isObjectOrArray(parseJson(body.toString("utf8")))) return { status, body, message: null }
  const message = translatable("provider_error_unreadable", { provider, status })
  const type = status < 500 ? "invalid_request_error" : "server_error"
  const error = { message: message.text, type, param: null, code: "upstream_error" }
  const wrapped = Buffer.from(JSON.stringify({ error, detail: message.text }))
  return { status, body: wrapped, message }
}

/** The headers of an error response: names and values in turn. */
export const errorReplyHeaders = (
  forwarded: readonly string[],
  { body, message }: ProviderErrorReply,
): string[] => {
  const headers: string[] = []
  for (let at = 0; at < forwarded.length; at += 2) {
    const name = forwarded[at] ?? ""
    const replaced = ownHeaders.has(name) || (message && bodyHeaders.test(name))
    if (!replaced) headers.push(name, forwarded[at + 1] ?? "")
  }
  headers.push("content-type", "application/json", "content-length", `${body.length}`)
  headers.push(...Object.entries(referenceHeader(toReference(message))).flat())
  return headers
}

const errorBodyStart = Buffer.from('{"error"')

/** Whether a provider reports an error with a status that means success. */
export const isErrorBody = (body: Buffer): boolean =>
  body.subarray(0, errorBodyStart.length).equals(errorBodyStart)
