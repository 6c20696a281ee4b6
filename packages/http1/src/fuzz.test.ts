import { describe, expect, it } from "vitest"
import { fuzz } from "../fuzz/cases.ts"

/** `npm run fuzz:http` runs more. */
const cases = process.env.TEST_FORM === "long" ? 100_000 : 10_000
const seed = 1

describe("the HTTP/1.1 parser, compared with llhttp", () => {
  it("parses providers' responses identically, and accepts nothing that llhttp rejects", async () => {
    const { countByVerdict, differences } = await fuzz("replies", cases, seed)
    expect(differences).toEqual([])
    for (const verdict of ["accepted", "refused", "unfinished"]) {
      expect(countByVerdict[verdict]).toBeGreaterThan(cases / 50)
    }
  }, 300_000)

  it("parses requests identically on the fast path and behind it", async () => {
    const { countByVerdict, differences } = await fuzz("requests", cases, seed)
    expect(differences).toEqual([])
    for (const verdict of ["plain", "mixed", "handed over", "refused"]) {
      expect(countByVerdict[verdict]).toBeGreaterThan(cases / 50)
    }
  }, 300_000)
})
