import { describe, expect, it } from "vitest"
import type { FoundPassage } from "../schema.ts"
import { createFoundPassage } from "./found-passage.ts"
import {
  limitPassages,
  maxPassagesFor,
  passageTokens,
  selectPassages,
} from "./passage-selection.ts"

/** About 100 tokens each, including the overhead. */
const passage = (at: number, overrides: Partial<FoundPassage> = {}): FoundPassage =>
  createFoundPassage({
    file_id: "a",
    filename: "a.txt",
    text: `Passage ${String(at).padStart(3, "0")} ${"x".repeat(197)}`,
    start: at * 1000,
    end: at * 1000 + 209,
    score: 1 - at / 100,
    ...overrides,
  })
const ranked = Array.from({ length: 60 }, (_, at) => passage(at))
const each = passageTokens(passage(0))
const limits = (tokens: number) => ({ tokens, passages: 300 })
const used = (passages: readonly FoundPassage[]): number[] =>
  passages.flatMap((one, at) => (one.used ? [at] : []))

describe("the selection of passages", () => {
  it("selects the best passages until the budget is filled", () => {
    const selected = selectPassages(ranked, limits(each * 20))
    expect(used(selected)).toEqual(Array.from({ length: 20 }, (_, at) => at))
    expect(selected[20]).toMatchObject({ used: false, left_out: "budget" })
    expect(used(selectPassages(ranked, limits(10)))).toEqual([])
  })

  it("selects at most as many passages as it may, whatever the budget", () => {
    const selected = selectPassages(ranked, { tokens: 1e6, passages: 40 })
    expect(used(selected)).toHaveLength(40)
    expect(selected[40]).toMatchObject({ used: false, left_out: "rank" })
  })

  it("allows for more passages in a larger budget", () => {
    expect([500, 4000, 16_000, 100_000].map(maxPassagesFor)).toEqual([40, 40, 160, 300])
  })

  it("truncates the best passage if not even that one fits", () => {
    const chinese = passage(0, { text: "海".repeat(1000) })
    const [best, second] = selectPassages([chinese, passage(1, chinese)], limits(400))
    expect(best?.used).toBe(true)
    expect(best?.text.length).toBeGreaterThan(200)
    expect(best?.end).toBe((best?.start ?? 0) + (best?.text.length ?? 0))
    expect(passageTokens(best ?? passage(0))).toBeLessThanOrEqual(400)
    expect(second?.used).toBe(false)
  })

  it("selects a smaller passage if a larger one does not fit", () => {
    const large = passage(1, { text: "y".repeat(5000) })
    const selected = selectPassages([passage(0), large, passage(2)], limits(each * 2))
    expect(used(selected)).toEqual([0, 2])
    expect(selected[1]?.left_out).toBe("budget")
  })

  it("always selects the top three of each ranking", () => {
    const rankedPassage = (at: number, ranking: "lexical" | "dense", rank: number) =>
      passage(at, { [ranking]: { rank, score: 1 } })
    const list = ranked
      .with(40, rankedPassage(40, "lexical", 1))
      .with(50, rankedPassage(50, "dense", 3))
    const more = list.with(45, rankedPassage(45, "lexical", 4))
    const selected = selectPassages(more, limits(each * 10))
    expect(used(selected)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 40, 50])
    expect(selected[40]?.reserved).toBe("lexical")
    expect(selected[50]?.reserved).toBe("dense")
    expect(selected[0]?.reserved).toBe(null)
  })

  it("reserves a third of the budget for languages that few passages are in", () => {
    const list = ranked.map((one, at) =>
      at < 50 ? one : { ...one, reserved: "language" as const, score: 0 },
    )
    const selected = selectPassages(list, limits(each * 12))
    expect(used(selected)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 50, 51, 52, 53])
    expect(selected[50]?.reserved).toBe("language")
    expect(selected[54]).toMatchObject({ used: false, left_out: "budget", reserved: null })
  })

  it("keeps the reservation of a text whose better ranked copy did not fit", () => {
    const large = passage(0, { text: "z".repeat(2000) })
    const copy = passage(1, { text: "z".repeat(2000), lexical: { rank: 1, score: 9 } })
    const selected = selectPassages([large, copy], limits(passageTokens(copy)))
    expect(used(selected)).toEqual([1])
  })

  it("selects equal text only once", () => {
    const selected = selectPassages([passage(0), passage(0), passage(1)], limits(1e4))
    expect(used(selected)).toEqual([0, 2])
    expect(selected[1]?.left_out).toBe("duplicate")
  })
})

describe("a limited number of passages", () => {
  const textsOf = (passages: readonly FoundPassage[], limit: number): number[] =>
    limitPassages(passages, limit).map(({ start }) => start / 1000)

  it("has room for those that are reserved for a language, which rank below the others", () => {
    const some = ranked.map(
      (one, at): FoundPassage => (at < 50 ? one : { ...one, reserved: "language" }),
    )
    expect(textsOf(some, 8)).toEqual([0, 1, 2, 3, 4, 5, 50, 51])
    expect(textsOf(some, 1)).toEqual([0])
    expect(textsOf(ranked, 3)).toEqual([0, 1, 2])
  })

  it("has no duplicates", () => {
    const equal = ranked.map((one, at) => (at % 2 === 0 ? one : { ...one, text: "Same." }))
    expect(textsOf(equal, 4)).toEqual([0, 1, 2, 4])
  })
})
