import { expect, it } from "vitest"
import { formatCost } from "./format-cost.ts"

it.each([
  [0, "$0.00"],
  [1, "< $0.0001"],
  [99_999, "< $0.0001"],
  [100_000, "$0.0001"],
  [400_000, "$0.0004"],
  [31_249_999, "$0.0312"],
  [50_000_000, "$0.05"],
  [99_990_000, "$0.10"],
  [123_400_000, "$0.12"],
  [12_500_000_000, "$12.50"],
  [1_234_567_890_000, "$1,234.57"],
])("shows %i nano-dollars as %s", (cost, text) => {
  expect(formatCost(cost)).toBe(text)
})
