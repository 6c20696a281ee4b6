import { describe, expect, it } from "vitest"
import { fuzz } from "../../fuzz/http/cases.ts"
import { amount } from "../harness/test-size.ts"

/** `npm run fuzz:http` runs more of them. */
const cases = amount(10_000, 100_000)
const seed = 1

describe("HTTP/1.1 as it is read here and by llhttp", () => {
  it("is the same for replies of upstreams, and nothing is taken that llhttp refuses", async () => {
    const { countByVerdict, differences } = await fuzz("replies", cases, seed)
    expect(differences).toEqual([])
    for (const verdict of ["accepted", "refused", "unfinished"]) {
      expect(countByVerdict[verdict]).toBeGreaterThan(cases / 50)
    }
  }, 300_000)

  it("is the same for requests on the fast path and behind it", async () => {
    const { countByVerdict, differences } = await fuzz("requests", cases, seed)
    expect(differences).toEqual([])
    for (const verdict of ["plain", "mixed", "handed over", "refused"]) {
      expect(countByVerdict[verdict]).toBeGreaterThan(cases / 50)
    }
  }, 300_000)
})
