import { RefusedError, UpstreamError } from "@portico/http1"
import { ZodError } from "zod"
import { parseErrorObject, readErrorBody } from "../formats/error-body.ts"
import { textOf } from "../formats/json-values.ts"
import { providers } from "../providers/registry.ts"
import { redactSecrets } from "./redact.ts"
import type { NewConnection } from "./schema.ts"

/** How long to wait for a list of models. */
export const listTimeoutMs = 10_000

const maxMessageLength = 500
const maxDetailsLength = 1000

/** Why a request to an upstream failed, for the person who configures the connection. */
export interface Diagnosis {
  /** What failed and what to check. */
  message: string
  /** The unchanged error or response, if it says more than the message. */
  details: string | null
}

/** What the provider says, in its own format or a common one; empty if it says nothing. */
const reasonIn = (body: string, kind: NewConnection["kind"]): string => {
  const fields = parseErrorObject(body)
  const error = fields && providers[kind].chatFormat?.decodeError(fields)
  return textOf(error?.message) || textOf(readErrorBody(body)?.message)
}

const describeRejection = (
  { status, body }: RefusedError,
  { base_url, kind }: NewConnection,
): string => {
  if (status === 401 || status === 403) {
    return `${base_url} rejected the API key (status ${status}). Check the key.`
  }
  if (status === 404) {
    return `${base_url} has no model list at this path (404). ${providers[kind].baseUrlHint}`
  }
  const reason = reasonIn(body, kind)
  return reason
    ? `${base_url} responded with status ${status}: ${reason}`
    : `${base_url} responded with status ${status}.`
}

const reasonByCode: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "the DNS lookup failed temporarily",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network unreachable",
}

const reasonOf = (error: Error): string => {
  const [code] = Object.keys(reasonByCode).filter((one) => error.message.includes(one))
  return (code && reasonByCode[code]) || error.message || error.name
}

const describeConnectionError = (error: Error, { base_url }: NewConnection): string => {
  if (error.name === "TimeoutError") {
    return `${base_url} did not respond within ${listTimeoutMs / 1000} seconds.`
  }
  const kind = error instanceof UpstreamError ? error.kind : "reset"
  if (kind === "timeout") return `${base_url} did not respond in time.`
  const reason = reasonOf(error)
  return kind === "unreachable"
    ? `Can't reach ${base_url}: ${reason}. Check the address and that the server is running.`
    : `The connection to ${base_url} failed: ${reason}`
}

const describe = (error: Error, connection: NewConnection): string => {
  if (error instanceof RefusedError) return describeRejection(error, connection)
  if (error instanceof SyntaxError || error instanceof ZodError) {
    const { apiLabel } = providers[connection.kind]
    return `${connection.base_url} did not respond like ${apiLabel}.`
  }
  return describeConnectionError(error, connection)
}

const detailsOf = (error: Error): string =>
  error instanceof RefusedError ? `${error.status} ${error.body}`.trim() : error.message

const toDiagnosis = (description: string, error: Error, connection: NewConnection): Diagnosis => {
  // Before truncation, which could cut a secret in two.
  const message = redactSecrets(description, connection)
  const details = redactSecrets(detailsOf(error), connection)
  return {
    message: message.slice(0, maxMessageLength),
    details: message.includes(details) ? null : details.slice(0, maxDetailsLength),
  }
}

export const diagnose = (thrown: unknown, connection: NewConnection): Diagnosis => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  return toDiagnosis(describe(error, connection), error, connection)
}

/** Why a connection does not serve a model that it lists. */
export const diagnoseModelRefusal = (
  error: RefusedError,
  connection: NewConnection,
  model: string,
): Diagnosis => {
  const description = `${connection.base_url} refused the model "${model}" (status ${error.status}). Check the model and the key's permissions.`
  return toDiagnosis(description, error, connection)
}
