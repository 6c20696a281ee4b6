import type { RequestHandle } from "@portico/http1"
import type { Failure } from "../../errors.ts"
import type { AnswerSources } from "../../knowledge/citations/source-finder.ts"
import type { AdmittedRequest } from "../../limits/admission/admitted-request.ts"
import type { RequestOutcome } from "../../usage/schema.ts"
import type { TokenCounts } from "../../usage/token-counts.ts"
import type { ProviderErrorReply } from "./provider-error-reply.ts"

export interface ResponseHead {
  status: number
  /** Alternates names and values. */
  rawHeaders: readonly string[]
  /** Whether the body is a stream of server-sent events. */
  isStream: boolean
}

/** Continues or ends a response. */
export interface ResponseHandle extends RequestHandle {
  /** Whether the last event passed on lacks its blank line. */
  readonly isEventOpen: boolean
}

/** How far a response was that failed. */
export interface FailurePoint {
  /** Null if nothing was passed on yet. */
  head: ResponseHead | null
  /** Whether the last event passed on lacks its blank line. */
  isEventOpen: boolean
}

/** What a response came to. */
export interface ResponseResult {
  outcome: RequestOutcome
  status: number
  tokens: TokenCounts | null
  /** Events received, about one per token. */
  chunks: number
  failure: Failure | undefined
}

/**
 * Receives one response: either `onBody`, or `onStart`, any number of `onChunk`, and `onEnd`. A
 * failure replaces what is still to come. `onDone` is last. An exception in a callback ends the
 * response as unreadable; `onFailure` must not throw.
 */
export interface ResponseConsumer {
  /** Called before anything else if the answer is based on files. */
  setCitations?(cited: AnswerSources): void
  /** Called once, before the request is sent. */
  onOpen?(handle: ResponseHandle): void
  /** Called once before the request is sent, if its usage is recorded. */
  onAdmitted?(admitted: Pick<AdmittedRequest, "limitHeaders">): void
  /** Of a response that is passed on as it arrives. */
  onStart(head: ResponseHead): void
  /** @returns false to pause the response */
  onChunk(bytes: Buffer): boolean
  onEnd(): void
  /** The complete body of a response that is not streamed. */
  onBody?(body: Buffer, head: ResponseHead): void
  /** The provider's own error. */
  onErrorReply?(error: ProviderErrorReply, head: ResponseHead): void
  onFailure(failure: Failure, at: FailurePoint): void
  /** Called exactly once, after the usage was recorded. */
  onDone?(result: ResponseResult): void
  /** Bodies larger than this, in bytes, are passed on as they arrive: through `onStart`, `onChunk`. */
  readonly passesBodiesAbove?: number
  /** Whether every response is passed on as it arrives, errors included. */
  readonly passesEverything?: boolean
}

/** Watches a stream on its way to the consumer. */
export interface StreamScanner {
  /** @returns the bytes to pass on now */
  push(chunk: Buffer): Buffer
  /** What a complete stream still lacks, possibly nothing; null if the stream is incomplete. */
  end(): Buffer | null
  /** The bytes still to pass on when a stream ends early. */
  breakOff(): Buffer
  /** Whether the provider reported an error at the end of the stream. */
  readonly hasError: boolean
  /** Whether the last event passed on lacks its blank line. */
  readonly isEventOpen: boolean
  readonly tokens: TokenCounts | null
  /** Events that followed `tokens`. */
  readonly eventsAfterTokens: number
  /** The counts that were reported before the answer, without output; null if none were. */
  readonly startTokens: TokenCounts | null
  /** Events received; about one per token. */
  readonly eventCount: number
}
