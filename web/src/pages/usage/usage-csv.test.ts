import { describe, expect, it } from "vitest"
import { toDollars } from "./usage-csv.ts"

describe("dollars in a CSV file", () => {
  it.each([
    [0, "0"],
    [1, "0.000000001"],
    [400_000, "0.0004"],
    [10_000_000_000, "10"],
    [1_234_567_890_120, "1234.56789012"],
  ])("of %d nano-dollars are exact", (cost, dollars) => {
    expect(toDollars(cost)).toBe(dollars)
  })
})
