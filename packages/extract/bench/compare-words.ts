export interface WordComparison {
  expectedWords: number
  /** Share of the expected occurrences of words that were found. */
  recall: number
  /** Share of the found words that are two or three expected words without the space between. */
  glued: number
}

/** A character of Chinese or Japanese counts as a word, because spaces do not separate words there. */
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu

const wordsOf = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(ideograph, " $& ")
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

const countWords = (words: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const one of words) counts.set(one, (counts.get(one) ?? 0) + 1)
  return counts
}

const gluedNeighbours = (words: readonly string[]): Set<string> =>
  new Set(
    words.flatMap((first, at) => {
      const pair = first + (words[at + 1] ?? "")
      return [pair, pair + (words[at + 2] ?? "")]
    }),
  )

export const compareWords = (expectedText: string, foundText: string): WordComparison => {
  const expected = wordsOf(expectedText)
  const found = wordsOf(foundText)
  const expectedCounts = countWords(expected)
  const foundCounts = countWords(found)
  let matched = 0
  for (const [one, count] of expectedCounts) matched += Math.min(count, foundCounts.get(one) ?? 0)
  const neighbours = gluedNeighbours(expected)
  const glued = found.filter((one) => !expectedCounts.has(one) && neighbours.has(one))
  return {
    expectedWords: expected.length,
    recall: expected.length === 0 ? 1 : matched / expected.length,
    glued: found.length === 0 ? 0 : glued.length / found.length,
  }
}
