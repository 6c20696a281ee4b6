import type { Endpoint } from "../../connections/connection-registry.ts"
import type { ResolvedModel } from "../../models/catalogue.ts"
import type { Settings } from "../../settings/schema.ts"
import { estimateTokens } from "../tokens.ts"

/** Every question may use this many tokens, also at the end of a long conversation. */
const minTokens = 500

export interface ContextBudgetRequest {
  /** Null if only the default context length is known. */
  model: Pick<ResolvedModel, "endpoints"> | null
  /** The texts of all messages, including the question. */
  conversation: readonly string[]
}

/** In tokens; null if it is unknown. */
type ContextLengthOf = (endpoint: Endpoint) => number | null

/** The smallest of the known context lengths of the model's endpoints. */
const findContextLength = (
  { endpoints }: Pick<ResolvedModel, "endpoints">,
  contextLengthOf: ContextLengthOf,
): number | null => {
  const lengths = endpoints.flatMap((endpoint) => contextLengthOf(endpoint) ?? [])
  return lengths.length > 0 ? Math.min(...lengths) : null
}

/**
 * The maximum number of tokens for the sources of an answer: half of the context that the
 * conversation leaves free, or the administrators' limit if that is lower.
 */
export const createContextBudget =
  (
    settings: () => Pick<Settings, "rag_token_budget" | "default_context_length">,
    contextLengthOf: ContextLengthOf,
  ) =>
  ({ model, conversation }: ContextBudgetRequest): number => {
    const { rag_token_budget: limit, default_context_length: assumed } = settings()
    const contextLength = (model && findContextLength(model, contextLengthOf)) ?? assumed
    const usedTokens = conversation.reduce((sum, text) => sum + estimateTokens(text), 0)
    return Math.min(limit, Math.max(minTokens, Math.floor((contextLength - usedTokens) / 2)))
  }

export type ContextBudget = ReturnType<typeof createContextBudget>
