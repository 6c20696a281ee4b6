import { describe, expect, it } from "vitest"
import { shiftDecimal } from "./shift-decimal.ts"

describe("shifting a decimal", () => {
  it.each([
    [2500, -3, 2.5],
    [0.000001, -3, 1e-9],
    [1e-9, 3, 0.000001],
    [70, -3, 0.07],
    [0.07, 3, 70],
    [1.005, 3, 1005],
    [2.5e9, -9, 2.5],
    [0, 3, 0],
    [123_456.789_012, -3, 123.456_789_012],
  ])("%d by %d places is %d", (value, places, shifted) => {
    expect(shiftDecimal(value, places)).toBe(shifted)
    expect(shiftDecimal(shifted, -places)).toBe(value)
  })
})
