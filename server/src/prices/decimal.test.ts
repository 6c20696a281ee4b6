import { describe, expect, it } from "vitest"
import { createChooser } from "../../test/harness/random.ts"
import {
  formatNano,
  hasExactPrice,
  parseDecimal,
  roundDecimal,
  toFemto,
  toPrice,
} from "./decimal.ts"

describe("a decimal", () => {
  it.each<[string, number, bigint | undefined]>([
    ["1e-07", 15, 100_000_000n],
    ["3.125E-7", 15, 312_500_000n],
    ["0.25", 2, 25n],
    ["0.25", 1, undefined],
    ["2500", 0, 2500n],
    ["1e3", 0, 1000n],
    ["10e-1", 0, 1n],
    ["-1", 0, undefined],
    ["", 0, undefined],
    ["0x10", 0, undefined],
    ["NaN", 0, undefined],
    [" 1", 0, undefined],
  ])("%j times ten to the power of %i is %s", (text, shift, expected) => {
    expect(parseDecimal(text, shift)).toBe(expected)
  })

  it.each<[string, number, bigint | undefined]>([
    ["0.0005666666666666667", 15, 566_666_666_667n],
    ["0.25", 1, 3n],
    ["0.24", 1, 2n],
    ["1e-30", 15, 0n],
    ["-1", 0, undefined],
  ])("%j times ten to the power of %i is about %s", (text, shift, expected) => {
    expect(roundDecimal(text, shift)).toBe(expected)
  })
})

describe("a price", () => {
  it("is what its JSON says, not the binary number", () => {
    expect(toFemto(0.1)).toBe(100_000n)
    expect(toFemto(1e-6)).toBe(1n)
    expect(toFemto(2.675)).toBe(2_675_000n)
    expect(formatNano(2_675_000n)).toBe("2.675")
  })

  it("is the same after conversions in both directions", () => {
    const { below, pick } = createChooser(3)
    for (let round = 0; round < 10_000; round++) {
      const femto = BigInt(below(10 ** pick([3, 9, 15])))
      const price = toPrice(femto)
      expect(hasExactPrice(price)).toBe(true)
      expect(toFemto(price)).toBe(femto)
      expect(toFemto(JSON.parse(JSON.stringify(price)))).toBe(femto)
    }
  })
})
