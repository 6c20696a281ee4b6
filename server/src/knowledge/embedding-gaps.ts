import type { VectorStore } from "./vector-store.ts"

/** While an index is being built, its gaps are looked up as often. */
const refreshMs = 5000
/** A complete index gets new gaps only by new files, whose status tells. */
const completeRefreshMs = 60_000

/** Which files lack embeddings in an index, such as old ones after an upgrade. */
export const createEmbeddingGaps = (store: Pick<VectorStore, "lackingIds">) => {
  let known = { index: "", readAt: 0, ids: new Set<string>() }

  return async (index: string): Promise<ReadonlySet<string>> => {
    const age = performance.now() - known.readAt
    const maxAge = known.ids.size > 0 ? refreshMs : completeRefreshMs
    if (known.index === index && age < maxAge) return known.ids
    // Before it is awaited, so that searches at the same time do not all look it up.
    known = { ...known, index, readAt: performance.now() }
    const ids = new Set(await store.lackingIds(index))
    known = { ...known, ids }
    return ids
  }
}
