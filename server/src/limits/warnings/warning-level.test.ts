import { describe, expect, it } from "vitest"
import type { LimitRule } from "../ledger/limit-rule.ts"
import { periodAt } from "../ledger/periods.ts"
import { decideWarning, type LimitWarning, levelOf, type WarningLevel } from "./warning-level.ts"

const hourMs = 3_600_000
const start = Date.UTC(2026, 10, 28)

describe("the level of a limit", () => {
  it.each<[spent: number, amount: number, hasRejected: boolean, level: WarningLevel]>([
    [79, 100, false, 0],
    [80, 100, false, 80],
    [99, 100, false, 80],
    [100, 100, false, 100],
    [150, 100, false, 100],
    [50, 100, true, 100],
    // Four fifths of a limit that nobody can be at exactly.
    [0, 1, false, 0],
    [2, 3, false, 0],
    // A ban.
    [0, 0, false, 0],
    [5, 0, true, 0],
  ])("with %i of %i spent, and rejections: %s, is %i", (spent, amount, hasRejected, level) => {
    expect(levelOf({ spent, amount }, hasRejected)).toBe(level)
  })
})

describe("a warning", () => {
  const rule = (rolling: boolean): LimitRule => ({
    ...{ id: "limit", metric: "cost", window: "day", mode: "hard", timeZone: "UTC", rolling },
  })
  const stored = (values: Partial<LimitWarning> = {}, rolling = false): LimitWarning => ({
    ...{ period: periodAt(rule(rolling), start).series, level: 80, amount: 100, warnedMs: start },
    ...values,
  })
  const decide = (
    level: WarningLevel,
    warning?: LimitWarning,
    { at = start, amount = 100, isRolling = false } = {},
  ) =>
    decideWarning({ period: periodAt(rule(isRolling), at), isRolling, level, amount, at }, warning)

  it("is given at each level once", () => {
    expect(decide(0)).toBeNull()
    expect(decide(80)).toEqual({ level: 80, isWarning: true })
    expect(decide(80, stored())).toBeNull()
    expect(decide(100, stored())).toEqual({ level: 100, isWarning: true })
    expect(decide(100)).toEqual({ level: 100, isWarning: true })
    expect(decide(100, stored({ level: 100 }))).toBeNull()
    expect(decide(80, stored({ level: 100 }))).toBeNull()
  })

  it("is given again in the next calendar period", () => {
    const at = start + 24 * hourMs
    expect(decide(80, stored({ level: 100 }), { at })).toEqual({ level: 80, isWarning: true })
    expect(decide(0, stored({ level: 100 }), { at })).toBeNull()
    expect(decide(80, stored({ level: 100 }), { at: at - 1 })).toBeNull()
  })

  it("is given again when a rolling window has passed since the last one", () => {
    const warning = stored({}, true)
    const at = start + 24 * hourMs
    expect(decide(80, warning, { isRolling: true, at: at - 1 })).toBeNull()
    expect(decide(80, warning, { isRolling: true, at })).toEqual({ level: 80, isWarning: true })
  })

  it("is withdrawn when the amount is raised, and then given again", () => {
    const reached = stored({ level: 100 })
    expect(decide(80, reached, { amount: 120 })).toEqual({ level: 80, isWarning: false })
    expect(decide(0, reached, { amount: 200 })).toEqual({ level: 0, isWarning: false })
    const withdrawn = stored({ level: 0, amount: 200 })
    expect(decide(80, withdrawn, { amount: 200 })).toEqual({ level: 80, isWarning: true })
    // What is spent can shrink a little without a raise.
    expect(decide(0, stored())).toBeNull()
  })
})
