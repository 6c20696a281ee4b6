import type { VectorStore } from "../vectors/vector-store.ts"

/** Cache lifetime of the gaps of an incomplete index. */
const refreshMs = 5000
/**
 * Cache lifetime for a complete index: only new texts add gaps, and their files have a state for it.
 */
const completeRefreshMs = 60_000

/** Caches which files lack embeddings in an index, such as old files after an upgrade. */
export const createEmbeddingGaps = (store: Pick<VectorStore, "incompleteFileIds">) => {
  let known = { index: "", readAt: 0, ids: new Set<string>() }

  return async (index: string): Promise<ReadonlySet<string>> => {
    const age = performance.now() - known.readAt
    const maxAge = known.ids.size > 0 ? refreshMs : completeRefreshMs
    if (known.index === index && age < maxAge) return known.ids
    // Set before awaiting, so that concurrent searches do not repeat the lookup.
    known = { ...known, index, readAt: performance.now() }
    const ids = new Set(await store.incompleteFileIds(index))
    known = { ...known, ids }
    return ids
  }
}
