import { HttpStatusError, UpstreamError } from "@portico/http1"
import { ZodError } from "zod"
import { toError } from "../errors.ts"
import { parseErrorObject, readErrorBody } from "../formats/error-body.ts"
import { textOf } from "../formats/json-values.ts"
import {
  type MessageOrText,
  mapQuotedTexts,
  type TranslatableMessage,
  translatable,
} from "../i18n/message.ts"
import { providers } from "../providers/registry.ts"
import { redactSecretsIn } from "./redact-text.ts"
import type { NewConnection } from "./schema.ts"

/** How long to wait for a list of models. */
export const listTimeoutMs = 10_000

const maxMessageLength = 500
const maxDetailsLength = 1000

/** Why a request to an upstream failed, for the person who configures the connection. */
export interface Diagnosis {
  /** What failed and what to check. */
  message: TranslatableMessage
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
  { status, body }: HttpStatusError,
  { base_url, kind }: NewConnection,
): TranslatableMessage => {
  if (status === 401 || status === 403) {
    return translatable("endpoint_key_rejected", { address: base_url, status })
  }
  if (status === 404) {
    return translatable("endpoint_has_no_model_list", {
      address: base_url,
      hint: providers[kind].baseUrlHint,
    })
  }
  const reason = reasonIn(body, kind)
  return reason
    ? translatable("endpoint_error", { address: base_url, status, reason })
    : translatable("endpoint_error_without_reason", { address: base_url, status })
}

const reasonByCode: Record<string, TranslatableMessage> = {
  ECONNREFUSED: translatable("connection_refused"),
  ENOTFOUND: translatable("host_unknown"),
  EAI_AGAIN: translatable("dns_lookup_failed"),
  EHOSTUNREACH: translatable("no_route_to_host"),
  ENETUNREACH: translatable("network_unreachable"),
}

const reasonOf = (error: Error): MessageOrText => {
  const [code] = Object.keys(reasonByCode).filter((one) => error.message.includes(one))
  return (code && reasonByCode[code]) || error.message || error.name
}

const describeConnectionError = (
  error: Error,
  { base_url }: NewConnection,
): TranslatableMessage => {
  if (error.name === "TimeoutError") {
    return translatable("endpoint_not_responding", {
      address: base_url,
      seconds: listTimeoutMs / 1000,
    })
  }
  const kind = error instanceof UpstreamError ? error.kind : "reset"
  if (kind === "timeout") return translatable("endpoint_timeout", { address: base_url })
  const reason = reasonOf(error)
  return kind === "unreachable"
    ? translatable("endpoint_unreachable", { address: base_url, reason })
    : translatable("endpoint_connection_failed", { address: base_url, reason })
}

const describe = (error: Error, connection: NewConnection): TranslatableMessage => {
  if (error instanceof HttpStatusError) return describeRejection(error, connection)
  if (error instanceof SyntaxError || error instanceof ZodError) {
    const { apiLabel } = providers[connection.kind]
    return translatable("endpoint_has_other_api", { address: connection.base_url, api: apiLabel })
  }
  return describeConnectionError(error, connection)
}

const detailsOf = (error: Error): string =>
  error instanceof HttpStatusError ? `${error.status} ${error.body}`.trim() : error.message

const toDiagnosis = (
  message: TranslatableMessage,
  error: Error,
  connection: NewConnection,
): Diagnosis => {
  // Before truncation, which could cut a secret in two.
  const redact = (text: string): string => redactSecretsIn(text, connection)
  const clean = (text: string): string => redact(text).slice(0, maxMessageLength)
  const text = redact(message.text)
  const details = redact(detailsOf(error))
  return {
    message: {
      id: message.id,
      values: mapQuotedTexts(message.values, clean),
      text: text.slice(0, maxMessageLength),
    },
    details: text.includes(details) ? null : details.slice(0, maxDetailsLength),
  }
}

export const diagnose = (thrown: unknown, connection: NewConnection): Diagnosis => {
  const error = toError(thrown)
  return toDiagnosis(describe(error, connection), error, connection)
}

/** Why a connection does not serve a model that it lists. */
export const diagnoseModelRefusal = (
  error: HttpStatusError,
  connection: NewConnection,
  model: string,
): Diagnosis => {
  const { status } = error
  const refusal = { address: connection.base_url, model, status }
  return toDiagnosis(translatable("endpoint_model_refused", refusal), error, connection)
}
