import type { LimitRule } from "../../src/limits/ledger/limit-rule.ts"

const rule = (id: string, changes: Partial<LimitRule>): LimitRule => ({
  ...{ id, metric: "cost", window: "day", mode: "hard", timeZone: "Europe/Berlin", rolling: false },
  ...changes,
})

export const rules: readonly LimitRule[] = [
  rule("everyone", { window: "month" }),
  rule("group", { window: "day" }),
  rule("user", { window: "hour", metric: "tokens" }),
  rule("key", { window: "total", metric: "requests" }),
  rule("model", { window: "hour", rolling: true }),
  rule("user and model", { window: "day", rolling: true, metric: "tokens" }),
  rule("in flight", { metric: "concurrency" }),
  rule("soft", { mode: "soft" }),
  rule("requests per minute", { metric: "requests", window: "minute" }),
  rule("tokens per minute", { metric: "tokens", window: "minute" }),
]

export const initialAmounts: Record<string, number> = {
  everyone: 30_000,
  group: 10_000,
  user: 3000,
  key: 100,
  model: 8000,
  "user and model": 6000,
  "in flight": 12,
  soft: 40_000,
  "requests per minute": 60,
  "tokens per minute": 6000,
}

/** A failure of the database that a test causes. */
export class StoreFault extends Error {}

/** What goes wrong besides lost claims and dead processes. */
export interface Faults {
  /** Administrators change amounts, so the model knows only an upper bound of what may pass. */
  changedAmounts: boolean
  /** Administrators change windows and modes, and delete limits. */
  changedRules: boolean
  overruns: boolean
  clockJumps: boolean
  /** Live processes may be cut off for so long that others take them for dead. */
  cutOff: boolean
}
