import { describe, expect, it } from "vitest"
import { intervalStarts, lastMonths, parseUsageRange } from "./usage-range.ts"

const at = (text: string): number => Date.parse(text) / 1000
const now = at("2026-03-31T15:00Z")

describe("a range of usage", () => {
  it.each([
    [{}, "30", "2026-03-02", "2026-04-01", "day"],
    [{ range: "7" }, "7", "2026-03-25", "2026-04-01", "day"],
    [{ range: "365" }, "365", "2025-04-01", "2026-04-01", "month"],
    [{ range: "month" }, "month", "2026-03-01", "2026-04-01", "day"],
    // A month has fewer days than the date of today.
    [{ range: "last-month" }, "last-month", "2026-02-01", "2026-03-01", "day"],
    [{ from: "2026-01-01", to: "2026-01-01" }, "custom", "2026-01-01", "2026-01-02", "hour"],
    [{ from: "2026-01-05", to: "2026-01-01" }, "custom", "2026-01-01", "2026-01-06", "day"],
    [{ from: "2020-01-01", to: "2026-01-01" }, "custom", "2020-01-01", "2026-01-02", "month"],
    // What addresses may contain.
    [{ range: "8" }, "30", "2026-03-02", "2026-04-01", "day"],
    [{ from: "2026-13-01", to: "2026-01-01" }, "30", "2026-03-02", "2026-04-01", "day"],
    [{ from: "2026-01-01" }, "30", "2026-03-02", "2026-04-01", "day"],
    [{ from: "0001-01-01", to: "2026-01-01" }, "30", "2026-03-02", "2026-04-01", "day"],
  ])("of %o is %s", (search, preset, from, to, interval) => {
    const expected = { preset, from: at(from), to: at(to), interval }
    expect(parseUsageRange(search, now)).toEqual(expected)
  })

  it("starts an interval at each hour, day, or month of UTC", () => {
    const starts = (from: string, to: string, interval: "hour" | "day" | "month") =>
      intervalStarts({ from: at(from), to: at(to), interval }).map((start) =>
        new Date(start * 1000).toISOString().slice(0, 13),
      )
    expect(starts("2026-02-27", "2026-03-02", "day")).toEqual([
      "2026-02-27T00",
      "2026-02-28T00",
      "2026-03-01T00",
    ])
    expect(starts("2026-02-27", "2026-02-28", "hour")).toHaveLength(24)
    expect(starts("2025-12-31", "2026-02-01", "month")).toEqual(["2025-12-01T00", "2026-01-01T00"])
  })

  it("lists months from the current one backwards, also on a month's last day", () => {
    expect(lastMonths(3, now)).toEqual(["2026-03", "2026-02", "2026-01"])
  })
})
