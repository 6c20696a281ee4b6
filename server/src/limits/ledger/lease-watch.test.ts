import { expect, it } from "vitest"
import { createLeaseWatch, leaseWatchMs } from "./lease-watch.ts"
import type { LeaseHolder } from "./ledger-store.ts"

const createWatch = (holders: LeaseHolder[]) => {
  let steady = 0
  const closed: string[] = []
  const watch = createLeaseWatch({
    processId: "self",
    steadyMs: () => steady,
    store: {
      readHolders: async () => holders.map((holder) => ({ ...holder })),
      closeLeases: async ({ processId }) => closed.push(processId) > 0,
    },
  })
  return {
    closed,
    passTime: async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += leaseWatchMs) {
        steady += leaseWatchMs
        await watch.closeDead()
      }
    },
  }
}

it("closes the leases of another process after 10 seconds without a claim", async () => {
  const dead = { processId: "dead", heartbeat: 7 }
  const { closed, passTime } = createWatch([dead, { processId: "self", heartbeat: 1 }])
  await passTime(10_000)
  expect(closed).toEqual([])
  await passTime(2000)
  expect(closed).toEqual(["dead"])
})

it("keeps the leases of a process that makes claims", async () => {
  const live = { processId: "live", heartbeat: 1 }
  const { closed, passTime } = createWatch([live])
  for (let second = 0; second < 20; second++) {
    await passTime(8000)
    live.heartbeat++
  }
  expect(closed).toEqual([])
})
