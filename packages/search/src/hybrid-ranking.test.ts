import { describe, expect, it } from "vitest"
import { interleaveHits, type RankedHit, rankFollowUp, rankHits } from "./hybrid-ranking.ts"

const hit = (passage: number, score: number) => ({ file: 0, passage, score })
const order = (hits: readonly RankedHit[]): number[] => hits.map(({ passage }) => passage)

describe("the ranking of passages", () => {
  it("keeps the order of BM25, and every hit, where there is no semantic search", () => {
    const lexical = [hit(3, 9), hit(1, 2), hit(2, 0.01)]
    const ranked = rankHits({ lexical, dense: null, total: 1000 })
    expect(order(ranked)).toEqual([3, 1, 2])
    expect(ranked[0]).toMatchObject({ score: 1, lexical: { rank: 1, score: 9 }, dense: null })
    expect(ranked.at(-1)?.score).toBe(0)
  })

  it("weights standard scores, so that weak keywords do not outvote a clear similarity", () => {
    const dense = [
      hit(0, 0.8),
      ...Array.from({ length: 99 }, (_, at) => hit(at + 1, 0.2 - at / 1000)),
    ]
    const lexical = Array.from({ length: 50 }, (_, at) => hit(at + 1, 1.1 - at / 1000))
    expect(order(rankHits({ lexical, dense, total: 500 }))[0]).toBe(0)
  })

  it("lets the only match of an identifier win over many similar passages", () => {
    const dense = Array.from({ length: 100 }, (_, at) => hit(at, 0.9 - at / 10_000))
    expect(order(rankHits({ lexical: [hit(70, 4)], dense, total: 300 }))[0]).toBe(70)
  })

  it("does not penalize passages without an embedding", () => {
    const dense = Array.from({ length: 20 }, (_, at) => hit(at, 0.2 - at / 1000))
    const others = Array.from({ length: 40 }, (_, at) => hit(50 + at, 2.5 - at / 1000))
    const lexical = [{ file: 1, passage: 0, score: 3.5 }, ...others]
    const hits = { lexical, dense, total: 100 }
    expect(rankHits(hits)[0]).toMatchObject({ file: 0 })
    expect(rankHits({ ...hits, incomplete: new Set([1]) })[0]).toMatchObject({
      file: 1,
      passage: 0,
    })
  })

  it("ranks passages of equal scores in reading order", () => {
    const lexical = [hit(2, 1), hit(0, 1), hit(1, 1)]
    expect(order(rankHits({ lexical, dense: null, total: 3 }))).toEqual([0, 1, 2])
  })

  it("ranks more hits than it standardizes over without changing the order of the first", () => {
    const dense = Array.from({ length: 300 }, (_, at) => hit(at, 0.9 - at / 500))
    const lexical = Array.from({ length: 250 }, (_, at) => hit((at * 7) % 300, 30 / (at + 1)))
    const first = (count: number) => rankHits({ lexical, dense, total: 1000 }).slice(0, count)
    const fewer = { lexical: lexical.slice(0, 100), dense: dense.slice(0, 100), total: 1000 }
    expect(order(first(10))).toEqual(order(rankHits(fewer)).slice(0, 10))
    const ranked = order(rankHits({ lexical: [], dense, total: 1000 }))
    expect(ranked).toEqual(dense.map(({ passage }) => passage))
  })

  it("finds nothing if neither ranking has a hit", () => {
    expect(rankHits({ lexical: [], dense: [], total: 10 })).toEqual([])
    expect(rankHits({ lexical: [], dense: null, total: 0 })).toEqual([])
  })

  it("combines a follow-up with the previous question, and marks passages found only by that", () => {
    const last = { lexical: [hit(5, 3), hit(8, 2)], dense: null, total: 100 }
    const previous = { lexical: [hit(7, 3), hit(8, 2)], dense: null, total: 100 }
    const ranked = rankFollowUp(last, previous)
    // Second for both questions beats first for one of them.
    expect(order(ranked)).toEqual([8, 5, 7])
    expect(ranked.find(({ passage }) => passage === 7)?.fromPrevious).toBe(true)
    expect(ranked.find(({ passage }) => passage === 5)?.fromPrevious).toBe(false)
  })

  it("alternates between two rankings without duplicates", () => {
    const a = [hit(1, 0), hit(2, 0), hit(3, 0)]
    const b = [hit(2, 0), hit(4, 0)]
    expect(interleaveHits(a, b).map(({ passage }) => passage)).toEqual([1, 2, 4, 3])
  })
})
