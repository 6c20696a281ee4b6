import type { RequestHandle, ResponseListener } from "@portico/http1"
import type { Failure } from "../errors.ts"
import type { Chunk } from "../formats/response-converter.ts"
import type { AttemptTarget } from "./attempt-target.ts"

/**
 * Receives a response on its way through the gateway, as it arrives from a provider or a function:
 * its reader, or what changes it before.
 *
 * | Interface | Called by | Implemented by |
 * |---|---|---|
 * | `ResponseListener` (`http1`) | a transport | `sendWithFailover`, once per attempt |
 * | `ResponseHandler` (`http1`) | `sendWithFailover` | `ConvertingReceiver`, or the receiver itself |
 * | `ResponseReceiver` | the above | `ResponseReader`; with filters, `FilteredResponse` |
 * | `CompletionReceiver` | functions and filters | `FilteredResponse`, `ConvertingReceiver` |
 * | `ResponseConsumer` | `ResponseReader` | `ResponseRelay`, `StoringConsumer`, whoever asked |
 */
export interface ResponseReceiver extends ResponseListener {
  /** Sets what resumes and cancels the response. */
  attach(handle: RequestHandle): void
  /**
   * Called with each attempt, and again with the one whose response is chosen in the end.
   * @param requestsSent how many times the request has been sent so far
   */
  onAttemptSelected(target: AttemptTarget, requestsSent: number): void
  /** Ends the response early, with a failure for the client. */
  stop(outcome: "upstream_error" | "refused_request", failure: Failure): void
}

/** Receives a chat completion. Chunks of a stream replace the bytes of their events. */
export interface CompletionReceiver extends ResponseReceiver {
  /** @returns false to pause the response */
  onChunks(chunks: readonly Chunk[]): boolean
}
