import type { ResolvedModel } from "./catalogue.ts"
import type { QueryRewritingMode } from "./query-rewriting-mode.ts"

/** The mode of the model closest to the caller that sets one. */
export const rewritingModeOf = ({ workspace }: ResolvedModel): QueryRewritingMode =>
  workspace.find(({ meta }) => meta.query_rewriting !== undefined)?.meta.query_rewriting ??
  "automatic"

/**
 * The model that may be asked to rewrite the questions to it; null if it is a function, which runs
 * its author's code for every request, unless its settings say so.
 */
export const rewritingModelOf = (resolved: ResolvedModel): string | null =>
  resolved.functionModel && rewritingModeOf(resolved) !== "on" ? null : resolved.id
