import type { UpstreamError, UpstreamErrorKind } from "@portico/http1"
import { EventTooLargeError } from "@portico/sse"
import { Failure, type FailureCode } from "../errors.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import type { MessageId } from "../i18n/catalogue.ts"
import { type MessageOrText, type TranslatableMessage, translatable } from "../i18n/message.ts"
import type { Connection } from "./connection.ts"

const codeByKind: Record<UpstreamErrorKind, FailureCode> = {
  unreachable: "upstream_unreachable",
  reset: "upstream_unreachable",
  timeout: "upstream_timeout",
  silence: "upstream_timeout",
  broken: "upstream_broken",
  unreadable: "upstream_broken",
}

const messageIdByKind = {
  unreachable: "provider_unreachable",
  reset: "provider_reset",
  timeout: "provider_timeout",
  silence: "provider_silent",
  broken: "provider_interrupted",
  unreadable: "provider_unreadable",
} as const satisfies Record<UpstreamErrorKind, MessageId>

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
    ? translatable(messageIdByKind[kind], { provider })
    : translatable("provider_malformed", { provider, reason })
}

/** The error for the caller when no complete response arrived. */
export const toUpstreamFailure = (error: UpstreamError, connection: Connection | null): Failure =>
  new Failure(codeByKind[error.kind], describe(error, upstreamLabel(connection)), { cause: error })
