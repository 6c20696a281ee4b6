import { describe, expect, it } from "vitest"
import { createChooser } from "../../../test/harness/random.ts"
import type { RateClaim } from "./ledger-store.ts"
import { aheadMs, applyRateClaim, rateDelayMs } from "./rate.ts"

const claim: RateClaim = {
  ...{ limitId: "rate", waiting: [] },
  ...{ ahead: 0, charge: 0, refund: 0, refundSince: 0 },
}
/** Requests that use one each. */
const ones = (count: number): number[] => Array.from({ length: count }, () => 1)
const start = Date.UTC(2026, 10, 28)

/** Applies claims to one limit. */
const createRate = (amount: number) => {
  let arrival: number | null = null
  return (now: number, changes: Partial<typeof claim>) => {
    const grant = applyRateClaim({ arrival, amount, now: start + now }, { ...claim, ...changes })
    arrival = grant.arrival
    return grant
  }
}

describe("a limit per minute", () => {
  it("admits its amount at once, then one for each interval", () => {
    const apply = createRate(10)
    expect(apply(0, { waiting: ones(11) }).granted).toBe(10)
    expect(apply(5999, { waiting: ones(1) }).granted).toBe(0)
    expect(apply(6000, { waiting: ones(2) }).granted).toBe(1)
    expect(apply(60_000, { waiting: ones(20) }).granted).toBe(9)
  })

  it("leaves to others what does not suffice for a request", () => {
    const apply = createRate(10)
    expect(apply(0, { waiting: [11] }).granted).toBe(0)
    expect(apply(0, { waiting: [7, 4, 3] }).granted).toBe(10)
  })

  it("takes nothing ahead from a small limit, so that all of it can be used", () => {
    expect(createRate(10)(0, { waiting: ones(1), ahead: 9 })).toMatchObject({
      granted: 1,
      isAhead: false,
    })
  })

  it("charges what is used beyond what was taken, and lets later requests wait for it", () => {
    const apply = createRate(60)
    apply(0, { charge: 90 })
    expect(apply(29_000, { waiting: ones(1) }).granted).toBe(0)
    expect(apply(31_000, { waiting: ones(1) }).granted).toBe(1)
  })

  it("returns unused tokens, less what has drained since", () => {
    const apply = createRate(60)
    apply(0, { waiting: ones(60) })
    // 30 have drained; without the other 30, they might not have.
    expect(apply(30_000, { refund: 60, refundSince: start, waiting: ones(60) }).granted).toBe(60)
    const later = createRate(60)
    later(0, { waiting: ones(60) })
    later(30_000, { waiting: ones(30) })
    expect(later(30_000, { refund: 60, refundSince: start, waiting: ones(60) }).granted).toBe(30)
  })

  it("waits for at most two minutes after the clock was set back", () => {
    const apply = createRate(60)
    apply(3_600_000, { waiting: ones(60) })
    expect(apply(0, { waiting: ones(1) }).granted).toBe(0)
    expect(apply(62_000, { waiting: ones(1) }).granted).toBe(1)
  })

  it("admits nothing with an amount of 0", () => {
    expect(createRate(0)(0, { waiting: ones(1), ahead: 1 }).granted).toBe(0)
  })

  it.each([1, 2, 3, 4])(
    "never admits more than its bound, taken ahead or not (seed %i)",
    (seed) => {
      const choose = createChooser(seed)
      const amount = choose.pick([600, 6000, 100_000])
      const apply = createRate(amount)
      const uses: { at: number; used: number }[] = []
      for (let now = 0; now < 600_000; now += choose.below(2000)) {
        const waiting = ones(choose.below(amount / 10))
        const { granted, isAhead } = apply(now, { waiting, ahead: choose.below(amount) })
        // The worst time to use what was taken ahead is the last one.
        uses.push({ at: isAhead ? now + aheadMs : now, used: granted })
      }
      let level = 0
      let last = 0
      for (const { at, used } of uses.toSorted((one, other) => one.at - other.at)) {
        level = Math.max(0, level - ((at - last) * amount) / 60_000) + used
        last = at
        expect(level).toBeLessThanOrEqual(amount + 0.01)
      }
    },
  )

  it("says how long a request has to wait", () => {
    expect(rateDelayMs(60, 1, 60)).toBe(1000)
    expect(rateDelayMs(10, 1, 60)).toBe(0)
    expect(rateDelayMs(0, 61, 60)).toBe(Number.POSITIVE_INFINITY)
  })
})
