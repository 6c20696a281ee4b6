import type { RequestOutcome } from "../../usage/schema.ts"
import type { TokenCounts } from "../../usage/token-counts.ts"
import type { StreamScanner } from "./response-consumer.ts"

/** The counts of a stream that broke off are those last reported, and about one per event since. */
export const countStreamTokens = (
  { tokens, eventsAfterTokens }: Pick<StreamScanner, "tokens" | "eventsAfterTokens">,
  outcome: RequestOutcome,
): { tokens: TokenCounts | null; isEstimate: boolean } => {
  const isComplete = tokens === null || outcome === "ok" || eventsAfterTokens === 0
  if (isComplete) return { tokens, isEstimate: false }
  const tokens_out = tokens.tokens_out + eventsAfterTokens
  return { tokens: { ...tokens, tokens_out }, isEstimate: true }
}
