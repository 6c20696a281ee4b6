import type { BlockedLimit } from "../ledger/blocked-limit.ts"
import type { Period } from "../ledger/periods.ts"

interface Rejection {
  /** Epoch ms. */
  at: number
  amount: number
}

/** Limits that have rejected requests in this process because what is left was too little. */
export const createRejections = ({ nowMs }: { nowMs: () => number }) => {
  const rejectionById = new Map<string, Rejection>()

  return {
    /** Ignores requests that are larger than the whole limit, and those that wait for others. */
    record: ({ limitId, reason, needed, amount }: BlockedLimit): void => {
      if (reason !== "spent" || needed > amount) return
      rejectionById.set(limitId, { at: nowMs(), amount })
    },

    /** Whether it was in this period, or in the window that ends with it, with this amount. */
    has: (limitId: string, { period, amount }: { period: Period; amount: number }): boolean => {
      const rejection = rejectionById.get(limitId)
      return (
        rejection !== undefined &&
        rejection.amount === amount &&
        rejection.at >= period.windowStartsAt
      )
    },

    /** Call once what was recorded until `at` is stored as a warning. */
    forget: (at: number): void => {
      for (const [id, rejection] of rejectionById) if (rejection.at < at) rejectionById.delete(id)
    },
  }
}

export type Rejections = ReturnType<typeof createRejections>
