import type { UpstreamError, UpstreamErrorKind } from "@portico/http1"
import { EventTooLargeError } from "@portico/sse"
import { Failure, type FailureCode } from "../errors.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import type { Upstream } from "./connection.ts"

const codeByKind: Record<UpstreamErrorKind, FailureCode> = {
  unreachable: "upstream_unreachable",
  reset: "upstream_unreachable",
  timeout: "upstream_timeout",
  silence: "upstream_timeout",
  broken: "upstream_broken",
  unreadable: "upstream_broken",
}

const descriptionByKind: Record<UpstreamErrorKind, string> = {
  unreachable: "cannot be reached",
  reset: "closed the connection before responding",
  timeout: "did not respond in time",
  silence: "stopped sending in the middle of its response",
  broken: "closed the connection in the middle of its response",
  unreadable: "sent an unreadable response",
}

/** How error messages refer to an upstream. */
export const upstreamLabel = (upstream: Upstream | null): string =>
  upstream ? `The provider "${upstream.config.name}"` : "The provider"

const describe = ({ kind, cause }: UpstreamError): string =>
  cause instanceof MalformedResponse || cause instanceof EventTooLargeError
    ? `sent an unreadable response: ${cause.message}`
    : descriptionByKind[kind]

/** The error for the caller when no complete response arrived. */
export const upstreamFailure = (error: UpstreamError, upstream: Upstream | null): Failure =>
  new Failure(codeByKind[error.kind], `${upstreamLabel(upstream)} ${describe(error)}.`, {
    cause: error,
  })
