import { describe, expect, it } from "vitest"
import type { LimitRule } from "./limit-rule.ts"
import { periodAt } from "./periods.ts"

const hourMs = 3_600_000

const rule = (changes: Partial<LimitRule>): LimitRule => ({
  ...{ id: "limit", metric: "cost", window: "day", mode: "hard", timeZone: "UTC", rolling: false },
  ...changes,
})

const boundsOf = (changes: Partial<LimitRule>, at: string): [string, string] => {
  const { startsAt, endsAt } = periodAt(rule(changes), Date.parse(at))
  return [new Date(startsAt).toISOString(), new Date(endsAt).toISOString()]
}

describe("calendar periods", () => {
  it.each<[Partial<LimitRule>, at: string, start: string, end: string]>([
    [{ window: "day" }, "2026-11-28T12:00Z", "2026-11-28T00:00Z", "2026-11-29T00:00Z"],
    [{ window: "hour" }, "2026-11-28T12:59:59.9Z", "2026-11-28T12:00Z", "2026-11-28T13:00Z"],
    [{ window: "month" }, "2026-12-31T23:59Z", "2026-12-01T00:00Z", "2027-01-01T00:00Z"],
    // Monday to Monday, on a Sunday and on a Monday.
    [{ window: "week" }, "2026-11-29T23:59Z", "2026-11-23T00:00Z", "2026-11-30T00:00Z"],
    [{ window: "week" }, "2026-11-30T00:00Z", "2026-11-30T00:00Z", "2026-12-07T00:00Z"],
    [
      { window: "hour", timeZone: "Asia/Kolkata" },
      ...(["2026-11-28T12:00Z", "2026-11-28T11:30Z", "2026-11-28T12:30Z"] as const),
    ],
    [
      { window: "month", timeZone: "America/New_York" },
      ...(["2026-11-01T03:00Z", "2026-10-01T04:00Z", "2026-11-01T04:00Z"] as const),
    ],
    // The day has 23 hours when daylight saving time begins, and 25 when it ends.
    [
      { timeZone: "Europe/Berlin" },
      ...(["2026-03-29T12:00Z", "2026-03-28T23:00Z", "2026-03-29T22:00Z"] as const),
    ],
    [
      { timeZone: "Europe/Berlin" },
      ...(["2026-10-25T12:00Z", "2026-10-24T22:00Z", "2026-10-25T23:00Z"] as const),
    ],
    // Midnight was skipped: the day starts at one o'clock.
    [
      { timeZone: "America/Sao_Paulo" },
      ...(["2018-11-04T12:00Z", "2018-11-04T03:00Z", "2018-11-05T02:00Z"] as const),
    ],
    // Midnight occurred twice: the day starts at the first one.
    [
      { timeZone: "America/Havana" },
      ...(["2026-11-01T12:00Z", "2026-11-01T04:00Z", "2026-11-02T05:00Z"] as const),
    ],
    // The island skipped a whole day.
    [
      { timeZone: "Pacific/Apia" },
      ...(["2011-12-30T09:00Z", "2011-12-29T10:00Z", "2011-12-30T10:00Z"] as const),
    ],
  ])("%o at %s", (changes, at, start, end) => {
    const iso = [start, end].map((date) => new Date(date).toISOString())
    expect(boundsOf(changes, at)).toEqual(iso)
  })

  it.each(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Chatham"])(
    "contain every time of two years in %s, and follow each other",
    (timeZone) => {
      for (const window of ["hour", "day", "week", "month"] as const) {
        const zoned = rule({ window, timeZone })
        let period = periodAt(zoned, Date.UTC(2025, 0, 1))
        const steps = window === "hour" ? 5000 : 750
        for (let step = 0; step < steps && period.endsAt < Date.UTC(2027, 0, 1); step++) {
          const next = periodAt(zoned, period.endsAt)
          expect(next.startsAt, `${window} at ${period.endsAt}`).toBeLessThanOrEqual(period.endsAt)
          expect(next.endsAt).toBeGreaterThan(period.endsAt)
          expect(periodAt(zoned, period.endsAt - 1).endsAt).toBe(period.endsAt)
          period = next
        }
      }
    },
  )
})

describe("rolling windows", () => {
  it.each([
    ["hour", 1],
    ["day", 24],
    ["week", 7 * 24],
    ["month", 30 * 24],
  ] as const)("of an hour, day, week or month are never shorter: %s", (window, hours) => {
    for (const offset of [0, 1, 59_999, 1_799_999, 21_599_999]) {
      const at = Date.UTC(2026, 10, 28) + offset
      const { windowStartsAt, countsUntil, startsAt } = periodAt(
        rule({ window, rolling: true }),
        at,
      )
      expect(at - windowStartsAt).toBeGreaterThanOrEqual(hours * hourMs)
      expect(countsUntil - at).toBeGreaterThan(hours * hourMs)
      expect(startsAt).toBeLessThanOrEqual(at)
    }
  })

  it("count a bucket exactly as long as windows contain it", () => {
    const rolling = rule({ window: "hour", rolling: true })
    const bucket = periodAt(rolling, Date.UTC(2026, 10, 28))
    const last = periodAt(rolling, bucket.countsUntil - 1)
    const first = periodAt(rolling, bucket.countsUntil)
    expect(last.windowStartsAt).toBeLessThanOrEqual(bucket.startsAt)
    expect(first.windowStartsAt).toBeGreaterThan(bucket.startsAt)
    expect(last.series).toBe(bucket.series)
  })
})

it("has one period for a total, for slots, and for a limit per minute", () => {
  for (const changes of [
    { window: "total" },
    { metric: "concurrency" },
    { window: "minute" },
  ] as const) {
    const period = periodAt(rule(changes), Date.UTC(2026, 0, 1))
    expect(period).toEqual(periodAt(rule(changes), Date.UTC(2036, 0, 1)))
    expect(period.endsAt).toBe(Number.POSITIVE_INFINITY)
  }
})
