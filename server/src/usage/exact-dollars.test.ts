import { describe, expect, it } from "vitest"
import { formatExactDollars } from "./exact-dollars.ts"

describe("dollars in a CSV file", () => {
  it.each([
    [0, "0.000000000"],
    [1, "0.000000001"],
    [400_000, "0.000400000"],
    [10_000_000_000, "10.000000000"],
    [1_234_567_890_120, "1234.567890120"],
  ])("of %d nano-dollars are exact", (cost, dollars) => {
    expect(formatExactDollars(cost)).toBe(dollars)
  })
})
