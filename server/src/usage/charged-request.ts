import type { ConnectionConfig } from "../connections/schema.ts"
import type { RequestOutcome } from "./schema.ts"
import type { TokenCounts } from "./token-counts.ts"

/** What the cost of a request depends on; all of it is in the request's usage record. */
export interface ChargedRequest {
  /** Null if no connection answered, but a function, or nothing. */
  connection: Pick<ConnectionConfig, "id" | "kind" | "base_url" | "id_prefix"> | null
  /** The connection's own name of the model. */
  upstreamModel: string | null
  /** As requested; null for the provider's default. */
  serviceTier: string | null
  tokens: TokenCounts
  durationMs: number
  outcome: RequestOutcome
  /** Epoch seconds: the price that holds then is charged. */
  at: number
}

/** @returns the cost in nano-dollars; null if the price is unknown */
export type RequestCost = (request: ChargedRequest) => number | null
