import { describe, expect, it } from "vitest"
import type { UsageTotal } from "../../../../server/src/usage/schema.ts"
import { noTokens } from "../../../../server/src/usage/token-counts.ts"
import { roundUpScale, sumSeries, toUsageSeries } from "./usage-series.ts"

const total = (fields: Partial<UsageTotal>): UsageTotal => ({
  start: 0,
  key: null,
  is_rest: false,
  name: null,
  email: null,
  requests: 1,
  errors: 0,
  attempts: 1,
  ...noTokens,
  cost: 0,
  unpriced: 0,
  duration_ms: 0,
  time_to_first_token_ms: null,
  ...fields,
})

describe("series of usage", () => {
  it("have a value for each interval, the largest first and the rest last", () => {
    const series = toUsageSeries(
      [
        total({ start: 10, key: "small", requests: 1 }),
        total({ start: 10, is_rest: true, requests: 90 }),
        total({ start: 30, key: "large", requests: 4 }),
        total({ start: 10, key: "large", requests: 3 }),
        total({ start: 20, requests: 2 }),
      ],
      [10, 20, 30],
      "requests",
    )
    expect(series.map(({ id, values, total }) => [id, values, total])).toEqual([
      ["key large", [3, 0, 4], 7],
      ["none", [0, 2, 0], 2],
      ["key small", [1, 0, 0], 1],
      ["rest", [90, 0, 0], 90],
    ])
    expect(sumSeries(series, 3)).toEqual([94, 2, 4])
  })

  it("keep a model called like the rest apart from it", () => {
    const items = [total({ key: "rest" }), total({ is_rest: true }), total({ key: "none" })]
    expect(toUsageSeries(items, [0], "requests")).toHaveLength(3)
  })
})

describe("the scale of a chart", () => {
  it.each([
    [0, 2],
    [1, 2],
    [3, 4],
    [11, 12],
    [100.3, 120],
    [61_000, 80_000],
    [1_234_567_890, 1_600_000_000],
  ])("for values up to %d ends at %d", (value, top) => {
    expect(roundUpScale(value)).toBe(top)
  })
})
