import type { Metric } from "./limit-rule.ts"

/** A limit as one process knows it. */
export interface LimitState {
  limitId: string
  amount: number
  /** Of all processes, at the last claim, and what this one has used since. */
  spent: number
  reserved: number
  /** When something that was spent stops counting, in epoch ms; Infinity if nothing does. */
  resetsAt: number
}

/** A limit that kept a request from passing. */
export interface BlockedLimit extends Omit<LimitState, "resetsAt"> {
  metric: Metric
  /** What the request would have reserved. */
  needed: number
  /** What the request could have reserved instead, as far as this process knows. */
  available: number
  /**
   * - `spent`: what is spent leaves too little until the limit's next period.
   * - `reserved`: requests in flight hold what is missing, and may return it.
   * - `rate`: too much in the last minute.
   */
  reason: "spent" | "reserved" | "rate"
  /** When the request could pass at the earliest, in epoch ms; Infinity if never. */
  passesAt: number
}

/** The limit for which a request would have to wait until last. */
export const findLastBlock = (blocks: readonly BlockedLimit[]): BlockedLimit | null => {
  const [first, ...others] = blocks
  if (!first) return null
  return others.reduce((one, other) => (other.passesAt > one.passesAt ? other : one), first)
}
