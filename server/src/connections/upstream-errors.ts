import type { UpstreamError, UpstreamErrorKind } from "@portico/http1"
import { EventTooLargeError } from "@portico/sse"
import { Failure, type FailureCode } from "../errors.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import type { MessageId } from "../i18n/catalogue.ts"
import { type MessageOrText, type TranslatableMessage, translatable } from "../i18n/message.ts"
import type { Connection } from "./connection.ts"

const failureByKind = {
  unreachable: { code: "upstream_unreachable", messageId: "provider_unreachable" },
  reset: { code: "upstream_unreachable", messageId: "provider_reset" },
  timeout: { code: "upstream_timeout", messageId: "provider_timeout" },
  silence: { code: "upstream_timeout", messageId: "provider_silent" },
  broken: { code: "upstream_broken", messageId: "provider_interrupted" },
  unreadable: { code: "upstream_broken", messageId: "provider_unreadable" },
} as const satisfies Record<UpstreamErrorKind, { code: FailureCode; messageId: MessageId }>

/** How error messages refer to an upstream. */
export const upstreamLabel = (connection: Connection | null): TranslatableMessage =>
  connection
    ? translatable("provider_named", { name: connection.config.name })
    : translatable("provider_unnamed")

const reasonOf = (cause: unknown): MessageOrText | null => {
  if (cause instanceof MalformedResponse) return cause.reason
  return cause instanceof EventTooLargeError ? cause.message : null
}

const describe = ({ kind, cause }: UpstreamError, provider: TranslatableMessage) => {
  const reason = reasonOf(cause)
  return reason === null
    ? translatable(failureByKind[kind].messageId, { provider })
    : translatable("provider_malformed", { provider, reason })
}

/** The error for the caller when no complete response arrived. */
export const toUpstreamFailure = (error: UpstreamError, connection: Connection | null): Failure =>
  new Failure(failureByKind[error.kind].code, describe(error, upstreamLabel(connection)), {
    cause: error,
  })

/** A success in a format that no client can read. */
export const createContentTypeFailure = (connection: Connection | null, type: string): Failure => {
  const values = { provider: upstreamLabel(connection), type: type.slice(0, 100) }
  return new Failure("upstream_broken", translatable("provider_content_type", values))
}

/** A stream that lacks its end. */
export const createEndedEarlyFailure = (connection: Connection | null): Failure => {
  const provider = upstreamLabel(connection)
  return new Failure("upstream_broken", translatable("provider_ended_early", { provider }))
}
