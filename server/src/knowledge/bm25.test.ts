import { describe, expect, it } from "vitest"
import { packIndexSegment } from "../files/index-segment.ts"
import { extractTerms, termWeights } from "../files/tokenizer.ts"
import { searchWords } from "./bm25.ts"
import { createWordShelf } from "./segment-cache.ts"

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

const given = (some: readonly Document[]) =>
  some.map(({ id, filename, texts }) => ({ id, filename, data: packIndexSegment(texts) }))

const countOf = (own: number, named: boolean, onlyThere: boolean): number => {
  const count = own + (named ? 1 : 0)
  return onlyThere ? Math.min(1, count) : count
}

const limit = 20

/**
 * Reference implementation of BM25, passage by passage, with the terms of file names added and
 * without frequent terms where a rarer one has enough hits.
 */
const byTheBook = (scope: readonly Document[], query: string): Map<string, number> => {
  const passages = scope.flatMap(({ filename, texts }, file) => {
    const name = extractTerms(filename.replace(/\.[^.]*$/, "").replace(/[_.-]+/g, " ")).counts
    return texts.map((text, at) => ({ key: `${file}:${at}`, name, terms: extractTerms(text) }))
  })
  const average = passages.reduce((sum, { terms }) => sum + terms.length, 0) / passages.length
  const scores = new Map<string, number>()
  const asked = extractTerms(query)
  const total = passages.length
  const terms = [...asked.counts].map(([term, times]) => {
    const kind = asked.kinds.get(term) ?? "word"
    const having = passages.flatMap(({ key, name, terms }) => {
      const count = countOf(terms.counts.get(term) ?? 0, name.has(term), kind === "trigram")
      return count > 0 ? [{ key, count, length: terms.length }] : []
    })
    return { kind, times, having }
  })
  const rarer = terms.filter(({ having }) => having.length <= total / 2)
  const counted = rarer.some(({ having }) => having.length >= limit) ? rarer : terms
  for (const { kind, times, having } of counted) {
    const idf = Math.log(1 + (total - having.length + 0.5) / (having.length + 0.5))
    const weight = termWeights[kind] * idf * Math.min(2, times)
    for (const { key, count, length } of having) {
      const norm = 1.2 * (0.4 + 0.6 * (length / Math.max(1, average)))
      scores.set(key, (scores.get(key) ?? 0) + (weight * count * 2.2) / (count + norm))
    }
  }
  return scores
}

const found = (
  shelf: ReturnType<typeof createWordShelf>,
  scope: readonly Document[],
  query: string,
) => searchWords(shelf.parts(scope.map(({ id }) => id)), query, limit)

const expectByTheBook = (
  shelf: ReturnType<typeof createWordShelf>,
  scope: readonly Document[],
  query: string,
): void => {
  const right = byTheBook(scope, query)
  const { hits } = found(shelf, scope, query)
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
    const shelf = createWordShelf(1e9)
    shelf.put(given(all))
    for (let round = 0; round < 5; round++) expectByTheBook(shelf, all, sentence(5))
  })

  it.each([0.02, 0.3, 0.7, 0.98])(
    "uses term statistics of the searched files only, a share of %f of all",
    (share) => {
      const all = documents(300)
      const shelf = createWordShelf(1e9)
      shelf.put(given(all))
      for (let round = 0; round < 20; round++) {
        const some = all.filter(() => random(1000) < share * 1000)
        // In a different order than they were added in.
        expectByTheBook(shelf, some.toReversed(), sentence(5))
      }
    },
  )

  it("ranks correctly while files are added, changed and removed, and segments merge", () => {
    const all = documents(120)
    const shelf = createWordShelf(1e9)
    const there = new Map<string, Document>()
    for (let round = 0; round < 200; round++) {
      const document = all[random(all.length)]
      if (!document) continue
      shelf.drop(document.id)
      there.delete(document.id)
      if (random(4) > 0) {
        const changed = { ...document, texts: [sentence(10), sentence(20)] }
        shelf.put(given([changed]))
        there.set(document.id, changed)
      }
      const known = [...there.values()].filter(({ id }) => shelf.has(id))
      if (known.length > 0) expectByTheBook(shelf, known, sentence(4))
      shelf.shrink()
    }
  })

  it("evicts the least recently used files", () => {
    const all = documents(200)
    const [early, late] = [all.slice(0, 100), all.slice(100)]
    const all100 = createWordShelf(1e9)
    all100.put(given(late))
    const shelf = createWordShelf(all100.bytes() * 1.2)
    shelf.put(given(early))
    shelf.put(given(late))
    shelf.parts(late.map(({ id }) => id))
    shelf.shrink()
    expect(early.some(({ id }) => shelf.has(id))).toBe(false)
    expect(late.every(({ id }) => shelf.has(id))).toBe(true)
    expect(found(shelf, early, sentence(5)).hits).toEqual([])
    expectByTheBook(shelf, late, sentence(5))
  })

  it("skips frequent terms only where a rarer one has enough hits", () => {
    const texts = Array.from({ length: 60 }, (_, at) => `invoice ${at < 20 ? "harbor" : "airport"}`)
    const shelf = createWordShelf(Number.POSITIVE_INFINITY)
    shelf.put([{ id: "f0", filename: "p.txt", data: packIndexSegment(texts) }])
    const scores = (query: string, limit: number): number[] =>
      searchWords(shelf.parts(["f0"]), query, limit).hits.map(({ score }) => score)
    expect(scores("invoice", 10)).toHaveLength(10)
    expect(scores("invoice harbor", 30)).toHaveLength(30)
    expect(scores("invoice harbor", 20)).toEqual(scores("harbor", 20))
  })

  it("finds nothing for an empty query or without files", () => {
    const all = documents(3)
    const shelf = createWordShelf(1e9)
    shelf.put(given(all))
    expect(found(shelf, all, "").hits).toEqual([])
    expect(found(shelf, [], sentence(3))).toEqual({ hits: [], total: 0 })
  })

  it("holds more passages than fit in one segment", () => {
    const texts = Array.from({ length: 40_000 }, (_, at) => `${word()} n${at}`)
    const shelf = createWordShelf(1e9)
    const data = packIndexSegment(texts)
    shelf.put(["a", "b", "c"].map((id) => ({ id, filename: "", data })))
    const { hits } = searchWords(shelf.parts(["a", "b", "c"]), "n31234", 10)
    expect(hits.slice(0, 3).map(({ file, passage }) => [file, passage])).toEqual([
      [0, 31_234],
      [1, 31_234],
      [2, 31_234],
    ])
  })
})
