import { describe, expect, it } from "vitest"
import { searchLexical } from "./bm25.ts"
import { packIndexSegment } from "./index-segment.ts"
import { createSegmentCache } from "./segment-cache.ts"

const codes = [
  ...["E36", "E3", "E-47", "H 2", "L3b", "U0121", "F07.2", "X12/3", "0x1F", "4711-2026"],
  ...["14.3", "36", "404", "ERR", "SF6", "BX-7740"],
]

/** A manual with one code per passage, in the midst of passages with the questions' other words. */
const manual = codes.map(
  (code) =>
    `${code}: the seat switch has an open circuit. Check the cable, replace the switch and measure the resistance again.`,
)
const others = Array.from({ length: 300 }, (_, at) =>
  [
    `Paragraph about the harvest of the vineyard, with barrel ${at + 1000} and its temperature.`,
    at % 9 === 0 ? "The display of the stairlift shows what an error means." : "",
    at % 11 === 0 ? "A customer reports a fault to the service." : "",
    at % 13 === 0 ? "Der Fehlercode bedeutet nichts." : "",
  ].join(" "),
)
const texts = [...others.slice(0, 150), ...manual, ...others.slice(150)]
const cache = createSegmentCache(1e9)
cache.put([{ id: "a", filename: "all.txt", data: packIndexSegment(texts) }])

const best = (query: string): string[] =>
  searchLexical(cache.scopesOf(["a"]), query, 3).hits.map(({ passage }) => texts[passage] ?? "")

const phrasings = [
  (code: string) => code,
  (code: string) => `What does ${code} mean?`,
  (code: string) => `What does fault ${code} mean?`,
  (code: string) => `the stairlift shows error ${code}, what should I do`,
  (code: string) => `customer reports code ${code} on the display`,
  (code: string) => `Was bedeutet der Fehlercode ${code}?`,
]

describe("an identifier in a question", () => {
  it.each(codes)("outweighs the other words of any phrasing: %s", (code) => {
    for (const phrase of phrasings) {
      expect(best(phrase(code)).some((text) => text.startsWith(`${code}:`))).toBe(true)
      if (!/\d/.test(code)) continue
      const lowerCase = phrase(code.toLowerCase())
      expect(best(lowerCase).some((text) => text.startsWith(`${code}:`))).toBe(true)
    }
  })

  it.each([
    ["E-36", "E36"],
    ["E 36", "E36"],
    ["E47", "E-47"],
    ["E 47", "E-47"],
    ["H2", "H 2"],
    ["BX7740", "BX-7740"],
    ["bx 7740", "BX-7740"],
    ["X 12/3", "X12/3"],
  ])("is found in another spelling: %s as %s", (spelling, code) => {
    const query = `customer reports fault ${spelling} on the display`
    expect(best(query).some((text) => text.startsWith(`${code}:`))).toBe(true)
  })

  it("does not count if the whole question is in capitals", () => {
    const query = "WHAT DOES THE DISPLAY OF THE STAIRLIFT SHOW"
    expect(best(query)).toEqual(best(query.toLowerCase()))
  })

  it("takes linear time for hostile questions", () => {
    for (const hostile of ["a-".repeat(5000), "1.".repeat(5000), "A 1 ".repeat(2500)]) {
      const start = performance.now()
      best(hostile)
      expect(performance.now() - start).toBeLessThan(1000)
    }
  })
})
