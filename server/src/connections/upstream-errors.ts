import { Failure, type FailureCode } from "../errors.ts"
import {
  UnreadableReply,
  type UpstreamError,
  type UpstreamErrorKind,
} from "../outbound/upstream-error.ts"
import type { Upstream } from "./connection.ts"

const codeByKind: Record<UpstreamErrorKind, FailureCode> = {
  unreachable: "upstream_unreachable",
  reset: "upstream_unreachable",
  timeout: "upstream_timeout",
  silence: "upstream_timeout",
  broken: "upstream_broken",
  unreadable: "upstream_broken",
}

const wordByKind: Record<UpstreamErrorKind, string> = {
  unreachable: "cannot be reached",
  reset: "closed the connection before it answered",
  timeout: "did not answer in time",
  silence: "stopped answering in the middle of its reply",
  broken: "broke off in the middle of its reply",
  unreadable: "sent a reply that cannot be read",
}

/** How an upstream is called in sentences for callers. */
export const nameOf = (upstream: Upstream | null): string =>
  upstream ? `The provider "${upstream.config.name}"` : "The provider"

const wordsOf = ({ kind, cause }: UpstreamError): string =>
  cause instanceof UnreadableReply ? `${wordByKind[kind]}: ${cause.message}` : wordByKind[kind]

/** What the caller is told when no whole reply came. */
export const failureOf = (error: UpstreamError, upstream: Upstream | null): Failure =>
  new Failure(codeByKind[error.kind], `${nameOf(upstream)} ${wordsOf(error)}`, { cause: error })
