import { describe, expect, it } from "vitest"
import { initialAmounts } from "./ledger-scenario.ts"
import { createWorld, type World } from "./ledger-world.ts"

const seeds = Array.from({ length: 20 }, (_, index) => index + 1)
const operationsPerSeed = 6000

type StoredAccount = ReturnType<World["store"]["accounts"]>[number]

const checkAccount = ({ model, live, isStrict }: World, stored: StoredAccount): void => {
  const expected = model.accounts.get(`${stored.limitId} ${stored.period.key}`)
  let reported = 0
  for (const [processId, amount] of stored.reportedByProcess) {
    reported += amount
    const settled = expected?.settledByProcess.get(processId) ?? 0
    if (live.some(({ id }) => id === processId)) expect(amount, stored.limitId).toBe(settled)
    else expect(amount, stored.limitId).toBeLessThanOrEqual(settled)
  }
  expect(stored.spent).toBe(reported)
  // Soft limits reserve nothing, so a dead process loses what it had not reported yet.
  if (!isStrict(stored.limitId)) return
  const { settled = 0, overrun = 0 } = expected ?? {}
  expect(stored.spent + stored.writtenOff + overrun).toBeGreaterThanOrEqual(settled)
}

/** Everything that live processes settled is counted once, and dead ones lose nothing. */
const checkSums = (world: World): void => {
  for (const stored of world.store.accounts()) {
    if (world.isDeleted(stored.limitId)) continue
    expect(stored.granted, stored.limitId).toBe(0)
    if (stored.period.key !== "slots") checkAccount(world, stored)
  }
}

/** A leaky bucket of what was really used, at the time at which it was admitted. */
const checkRates = ({ passages }: World): void => {
  for (const limitId of ["requests per minute", "tokens per minute"]) {
    const amount = initialAmounts[limitId] ?? 0
    let level = 0
    let last = 0
    const ofLimit = passages.filter((one) => one.limitId === limitId)
    for (const { at, used } of ofLimit.toSorted((one, other) => one.at - other.at)) {
      level = Math.max(0, level - ((at - last) * amount) / 60_000) + used
      last = at
      expect(level, limitId).toBeLessThanOrEqual(amount + 1e-3)
    }
  }
}

describe("the ledger, compared with a model that knows no slices", () => {
  const title = "never overspends, and neither loses nor repeats a settlement (seed %i)"
  it.each(seeds)(title, async (seed) => {
    const faults = {
      overruns: seed % 3 === 1,
      clockJumps: seed % 2 === 0,
      cutOff: seed % 3 === 2,
      changedAmounts: seed % 4 === 0,
      changedRules: seed % 5 === 4,
    }
    const world = createWorld(seed, faults)
    for (let done = 0; done < operationsPerSeed; done++) await world.step()
    await world.end()
    expect(world.overspent).toEqual([])
    checkSums(world)
    if (!faults.overruns && !faults.clockJumps && !faults.changedRules) checkRates(world)

    expect(world.counts().admitted).toBeGreaterThan(100)
    expect(world.counts().rejected).toBeGreaterThan(50)
  })
})
