import type { UpstreamRequest } from "@portico/http1"
import type { EventLoopShare } from "../concurrency/fair-event-loop.ts"
import type { AttemptTarget } from "./attempt-target.ts"
import type { ResponseReceiver } from "./response-receiver.ts"

export interface ConnectionAttempt extends AttemptTarget {
  /** Whether a model answers. Only such requests affect the circuit breaker's recovery. */
  usesModel: boolean
  /**
   * Builds the request when this attempt is made; most attempts never are.
   * @throws {Failure} if the provider does not support a part of it; the next attempt is then made
   */
  request: () => UpstreamRequest | Promise<UpstreamRequest>
  /** Omitted if the response needs no conversion. @returns what receives the original response */
  convert?: ((receiver: ResponseReceiver, share: EventLoopShare) => ResponseReceiver) | undefined
}
