import { describe, expect, it } from "vitest"
import { searchLexical } from "./bm25.ts"
import { packIndexSegment } from "./index-segment.ts"
import { createSegmentCache } from "./segment-cache.ts"
import { extractTerms, splitWords, type TermKind, termWeights } from "./tokenizer.ts"

let seed = 11
const random = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % below
}
const syllables = ["ka", "to", "mer", "lin", "est", "ung", "ro", "sil", "北京", "市", "da", "ven"]
const word = (): string =>
  Array.from({ length: 1 + random(3) }, () => syllables[random(syllables.length)]).join("")
const sentence = (length: number): string => Array.from({ length }, word).join(" ")

interface Document {
  id: string
  filename: string
  texts: string[]
}

const documents = (count: number): Document[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `f${index}`,
    filename: `${word()}-${word()}.txt`,
    texts: Array.from({ length: 1 + random(9) }, () => sentence(3 + random(30))),
  }))

const toFileTerms = (some: readonly Document[]) =>
  some.map(({ id, filename, texts }) => ({ id, filename, data: packIndexSegment(texts) }))

const countOf = (own: number, named: boolean, onlyThere: boolean): number => {
  const count = own + (named ? 1 : 0)
  return onlyThere ? Math.min(1, count) : count
}

const limit = 20

/** Weights of the terms of a query without identifiers. */
const referenceTerms = (query: string): Map<string, { kind: TermKind; weight: number }> => {
  const terms = new Map<string, { kind: TermKind; weight: number }>()
  for (const [word, count] of Map.groupBy(splitWords(query), (word) => word)) {
    const { kinds } = extractTerms(word)
    for (const [term, kind] of kinds) {
      const weight = termWeights[kind] * Math.min(2, count.length)
      const known = terms.get(term)?.weight ?? 0
      terms.set(term, {
        kind,
        weight: kind === "trigram" ? Math.max(known, weight) : known + weight,
      })
    }
  }
  return terms
}

/**
 * Reference implementation of BM25, passage by passage, with the terms of file names added and
 * without frequent terms where a rarer one has enough hits.
 */
const referenceScores = (scope: readonly Document[], query: string): Map<string, number> => {
  const passages = scope.flatMap(({ filename, texts }, file) => {
    const name = extractTerms(filename.replace(/\.[^.]*$/, "").replace(/[_.-]+/g, " ")).counts
    return texts.map((text, at) => ({ key: `${file}:${at}`, name, terms: extractTerms(text) }))
  })
  const average = passages.reduce((sum, { terms }) => sum + terms.length, 0) / passages.length
  const scores = new Map<string, number>()
  const total = passages.length
  const terms = [...referenceTerms(query)].map(([term, { kind, weight }]) => {
    const matches = passages.flatMap(({ key, name, terms }) => {
      const count = countOf(terms.counts.get(term) ?? 0, name.has(term), kind === "trigram")
      return count > 0 ? [{ key, count, length: terms.length }] : []
    })
    return { weight, having: matches }
  })
  const rarer = terms.filter(({ having }) => having.length <= total / 2)
  const counted = rarer.some(({ having }) => having.length >= limit) ? rarer : terms
  for (const { weight, having } of counted) {
    const idf = Math.log(1 + (total - having.length + 0.5) / (having.length + 0.5))
    for (const { key, count, length } of having) {
      const norm = 1.2 * (0.4 + 0.6 * (length / Math.max(1, average)))
      scores.set(key, (scores.get(key) ?? 0) + (weight * idf * count * 2.2) / (count + norm))
    }
  }
  return scores
}

const found = (
  cache: ReturnType<typeof createSegmentCache>,
  scope: readonly Document[],
  query: string,
) => searchLexical(cache.scopesOf(scope.map(({ id }) => id)), query, limit)

const expectReferenceScores = (
  cache: ReturnType<typeof createSegmentCache>,
  scope: readonly Document[],
  query: string,
): void => {
  const right = referenceScores(scope, query)
  const { hits } = found(cache, scope, query)
  const best = [...right.values()].sort((a, z) => z - a).slice(0, limit)
  expect(hits.length).toBe(best.length)
  for (const [at, { file, passage, score }] of hits.entries()) {
    expect(score).toBeCloseTo(best[at] ?? 0, 3)
    expect(score).toBeCloseTo(right.get(`${file}:${passage}`) ?? 0, 3)
  }
}

describe("lexical search", () => {
  it.each([1, 3, 40, 300])("ranks the passages of %i files as BM25 does", (count) => {
    const all = documents(count)
    const cache = createSegmentCache(1e9)
    cache.put(toFileTerms(all))
    for (let round = 0; round < 5; round++) expectReferenceScores(cache, all, sentence(5))
  })

  it.each([0.02, 0.3, 0.7, 0.98])(
    "uses term statistics of the searched files only, a share of %f of all",
    (share) => {
      const all = documents(300)
      const cache = createSegmentCache(1e9)
      cache.put(toFileTerms(all))
      for (let round = 0; round < 20; round++) {
        const some = all.filter(() => random(1000) < share * 1000)
        // In a different order than they were added in.
        expectReferenceScores(cache, some.toReversed(), sentence(5))
      }
    },
  )

  it("ranks correctly while files are added, changed and removed, and segments merge", () => {
    const all = documents(120)
    const cache = createSegmentCache(1e9)
    const documentById = new Map<string, Document>()
    for (let round = 0; round < 200; round++) {
      const document = all[random(all.length)]
      if (!document) continue
      cache.drop(document.id)
      documentById.delete(document.id)
      if (random(4) > 0) {
        const changed = { ...document, texts: [sentence(10), sentence(20)] }
        cache.put(toFileTerms([changed]))
        documentById.set(document.id, changed)
      }
      const known = [...documentById.values()].filter(({ id }) => cache.has(id))
      if (known.length > 0) expectReferenceScores(cache, known, sentence(4))
      cache.shrink()
    }
  })

  it("evicts the least recently used files", () => {
    const all = documents(200)
    const [early, late] = [all.slice(0, 100), all.slice(100)]
    const all100 = createSegmentCache(1e9)
    all100.put(toFileTerms(late))
    const cache = createSegmentCache(all100.bytes() * 1.2)
    cache.put(toFileTerms(early))
    cache.put(toFileTerms(late))
    cache.scopesOf(late.map(({ id }) => id))
    cache.shrink()
    expect(early.some(({ id }) => cache.has(id))).toBe(false)
    expect(late.every(({ id }) => cache.has(id))).toBe(true)
    expect(found(cache, early, sentence(5)).hits).toEqual([])
    expectReferenceScores(cache, late, sentence(5))
  })

  it("skips frequent terms only where a rarer one has enough hits", () => {
    const texts = Array.from({ length: 60 }, (_, at) => `invoice ${at < 20 ? "harbor" : "airport"}`)
    const cache = createSegmentCache(Number.POSITIVE_INFINITY)
    cache.put([{ id: "f0", filename: "p.txt", data: packIndexSegment(texts) }])
    const scores = (query: string, limit: number): number[] =>
      searchLexical(cache.scopesOf(["f0"]), query, limit).hits.map(({ score }) => score)
    expect(scores("invoice", 10)).toHaveLength(10)
    expect(scores("invoice harbor", 30)).toHaveLength(30)
    expect(scores("invoice harbor", 20)).toEqual(scores("harbor", 20))
  })

  it("finds nothing for an empty query or without files", () => {
    const all = documents(3)
    const cache = createSegmentCache(1e9)
    cache.put(toFileTerms(all))
    expect(found(cache, all, "").hits).toEqual([])
    expect(found(cache, [], sentence(3))).toEqual({ hits: [], total: 0 })
  })

  it("holds more passages than fit in one segment", () => {
    const texts = Array.from({ length: 40_000 }, (_, at) => `${word()} n${at}`)
    const cache = createSegmentCache(1e9)
    const data = packIndexSegment(texts)
    cache.put(["a", "b", "c"].map((id) => ({ id, filename: "", data })))
    const { hits } = searchLexical(cache.scopesOf(["a", "b", "c"]), "n31234", 10)
    expect(hits.slice(0, 3).map(({ file, passage }) => [file, passage])).toEqual([
      [0, 31_234],
      [1, 31_234],
      [2, 31_234],
    ])
  })
})
