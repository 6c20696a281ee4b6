import { describe, expect, it } from "vitest"
import { selectTerms } from "./term-selection.ts"

const term = (frequency: number, weight: number) => ({ frequency, weight })

describe("the selection of terms", () => {
  it("scores frequent terms only if rarer ones have too few hits", () => {
    const [frequent, rare, rarest] = [term(900, 0.1), term(120, 2), term(3, 6)]
    expect(selectTerms([frequent, rare, rarest], { total: 1000, limit: 100 })).toEqual([
      rarest,
      rare,
    ])
    expect(selectTerms([frequent, rarest], { total: 1000, limit: 100 })).toEqual([rarest, frequent])
  })

  it("scores every term in a small scope", () => {
    const terms = Array.from({ length: 80 }, () => term(9000, 0.1))
    expect(selectTerms(terms, { total: 10_000, limit: 100 })).toHaveLength(80)
  })

  it("scores at least the ten weightiest terms in a large scope", () => {
    const terms = Array.from({ length: 60 }, (_, at) => term(190_000, 1 + at / 100))
    const selected = selectTerms(terms, { total: 200_000, limit: 100 })
    expect(selected).toHaveLength(10)
    expect(selected[0]?.weight).toBeCloseTo(1.59)
  })
})
