import { expect, it } from "vitest"
import { createMemoryLedgerStore } from "../../../test/limits/memory-ledger-store.ts"
import { createLedger } from "./ledger.ts"
import type { LedgerStore } from "./ledger-store.ts"
import type { LimitRule } from "./limit-rule.ts"

const beatMs = 250
const rules: LimitRule[] = [
  { ...{ id: "cost", metric: "cost", window: "month" } },
  { ...{ id: "slots", metric: "concurrency", window: "total" } },
  { ...{ id: "rate", metric: "requests", window: "minute" } },
].map((rule) => ({ ...rule, mode: "hard", timeZone: "UTC", rolling: false }) as LimitRule)
const worstCase = { requests: 1, tokens: 0, cost: 5, concurrency: 1 }

const createWorld = () => {
  let now = Date.UTC(2026, 10, 28, 12)
  let claims = 0
  const store = createMemoryLedgerStore({ amountOf: () => 1000, nowMs: () => now })
  const counting: LedgerStore = {
    ...store,
    claim: (request) => {
      claims++
      return store.claim(request)
    },
  }
  const ledger = createLedger({
    store: counting,
    processId: "one",
    wallMs: () => now,
    steadyMs: () => now,
    runInBackground: (_name, work) => work().then(() => true),
  })
  const limits = rules.map(ledger.track)

  return {
    store,
    reserve: async () => {
      const admission = await ledger.reserve({ limits, worstCase })
      if (!admission.isAdmitted) throw new Error("The request was rejected.")
      return admission
    },
    /** @returns how many claims it took */
    passTime: async (ms: number): Promise<number> => {
      const before = claims
      for (const end = now + ms; now < end; now += beatMs) await ledger.renew()
      return claims - before
    },
  }
}

it("claims nothing while nothing is used", async () => {
  const { reserve, passTime } = createWorld()
  await passTime(1000)
  expect(await passTime(60_000)).toBe(0)
  const admission = await reserve()
  await passTime(10_000)
  // An open request keeps its lease alive.
  expect(await passTime(60_000)).toBeGreaterThanOrEqual(59)
  admission.settle({ requests: 1, tokens: 0, cost: 3, concurrency: 0 })
  await passTime(10_000)
  expect(await passTime(60_000)).toBe(0)
  // Rarely enough to cost nothing, and often enough for others to remember it.
  expect(await passTime(24 * 3_600_000)).toBe(24)
})

it("goes on after others have taken it for dead", async () => {
  const { store, reserve, passTime } = createWorld()
  const settled = { requests: 1, tokens: 0, cost: 3, concurrency: 0 }
  for (let round = 1; round <= 3; round++) {
    const admission = await reserve()
    admission.settle(settled)
    await passTime(20_000)
    for (const holder of await store.readHolders()) await store.closeLeases(holder)
    const cost = store.accounts().find(({ limitId }) => limitId === "cost")
    expect(cost).toMatchObject({ spent: 3 * round, writtenOff: 0, granted: 0 })
  }
})
