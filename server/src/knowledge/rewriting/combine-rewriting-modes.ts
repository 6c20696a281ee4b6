import type { QueryRewritingMode } from "../../models/query-rewriting-mode.ts"

/**
 * The mode for a question to a model about several collections: whoever turns rewriting off wins,
 * then whoever turns it on.
 */
export const combineRewritingModes = (modes: Iterable<QueryRewritingMode>): QueryRewritingMode => {
  const present = new Set(modes)
  if (present.has("off")) return "off"
  return present.has("on") ? "on" : "automatic"
}
