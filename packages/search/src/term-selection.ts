/** What selects the terms of a query that are scored. */
export interface TermStatistics {
  /** Number of passages with the term. */
  frequency: number
  /** With the inverse document frequency. */
  weight: number
}

/** Terms in more than this share of passages are skipped if rarer ones have enough hits. */
const maxFrequency = 0.5
/**
 * Terms are scored in the order of their weights until this many postings were read: in large
 * scopes a number per passage, in others a number that takes a few milliseconds.
 */
const maxPostings = { total: 1_000_000, perPassage: 10 }

/**
 * Drops terms that most passages contain if a rarer one has enough hits: they add almost nothing to
 * the score but take most of the time.
 */
const skipFrequent = <T extends TermStatistics>(
  terms: readonly T[],
  { total, limit }: { total: number; limit: number },
): readonly T[] => {
  const rarer = terms.filter(({ frequency }) => frequency <= total * maxFrequency)
  return rarer.some(({ frequency }) => frequency >= limit) ? rarer : terms
}

/**
 * The terms that are scored in a scope of `total` passages. At least ten always are: what is left
 * out in questions of frequent words only are mostly trigrams of these words.
 */
export const selectTerms = <T extends TermStatistics>(
  terms: readonly T[],
  scope: { total: number; limit: number },
): T[] => {
  const byWeight = skipFrequent(terms, scope).toSorted((a, z) => z.weight - a.weight)
  const max = Math.max(maxPostings.total, scope.total * maxPostings.perPassage)
  let postings = 0
  return byWeight.filter(({ frequency }) => {
    postings += frequency
    return postings <= max
  })
}
