import { createDeadHolderDetector } from "../../db/dead-holders.ts"
import type { LedgerStore } from "./ledger-store.ts"

/** How often to call `closeDead`. */
export const leaseWatchMs = 2000
/** A process with leases makes a claim every second; it gives up its slots after five without an answer. */
const deadAfterMs = 10_000

interface Deps {
  store: Pick<LedgerStore, "readHolders" | "closeLeases">
  /** Of this process, which is never dead. */
  processId: string
  steadyMs?: () => number
}

/** Closes the leases of processes that no longer make claims, so that nothing stays reserved. */
export const createLeaseWatch = (deps: Deps) => {
  const { store, processId, steadyMs = () => performance.now() } = deps
  const detector = createDeadHolderDetector({ deadAfterMs, gapMs: 3 * leaseWatchMs })
  return {
    /** @returns how many processes were dead */
    closeDead: async (): Promise<number> => {
      const holders = await store.readHolders()
      const others = holders.filter((holder) => holder.processId !== processId)
      const rows = others.map((holder) => ({
        ...{ holder, id: holder.processId, lease_until: holder.heartbeat },
      }))
      let closed = 0
      for (const { holder } of detector.observe(rows, steadyMs()))
        if (await store.closeLeases(holder)) closed++
      return closed
    },
  }
}
