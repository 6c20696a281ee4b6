import { describe, expect, it } from "vitest"
import { createChooser } from "../../test/harness/random.ts"
import { noTokens, type TokenCounts, tokenKinds } from "../usage/token-counts.ts"
import { calculateLargeCost, calculateLargeMaxCost } from "./large-cost.ts"
import { calculatePlainCost, calculatePlainMaxCost } from "./plain-cost.ts"
import { PriceEntry } from "./schema.ts"

const entryOf = (prices: object) => PriceEntry.parse({ model: "m", from: 0, ...prices })

describe("plain numbers", () => {
  const { below, chance, pick } = createChooser(12)
  const price = (): number => below(10 ** pick([1, 4, 9])) / 10 ** pick([0, 3, 6])
  const some = (list: readonly string[]) =>
    Object.fromEntries(list.filter(() => chance(0.4)).map((name) => [name, price()]))
  const kinds = [
    ...["input", "cached_input", "cache_write", "cache_write_1h", "output", "reasoning"],
    ...["audio_input", "audio_output", "image_input", "image_output"],
  ]
  const randomEntry = () =>
    entryOf({
      ...{ ...some([...kinds, "request"]), input: price(), output: price() },
      ...(chance(0.1) && { gpu_hour: price() }),
      tiers: [100, 1000].filter(() => chance(0.5)).map((above) => ({ above, ...some(kinds) })),
      service_tiers: { flex: { ...some(kinds), tiers: [{ above: 500, ...some(kinds) }] } },
    })
  const count = () => pick([0, 1, 100, 101, 500, 501, 1000, below(2000), below(10 ** 9), 1.5])

  const units = () => ({
    serviceTier: pick([null, "flex", "priority"]),
    durationMs: below(1000),
  })
  const tokens = (): TokenCounts =>
    Object.assign({ ...noTokens }, ...tokenKinds.map((kind) => chance(0.5) && { [kind]: count() }))

  /** How often there was no result. */
  const compare = (compute: (entry: PriceEntry) => [plain: number | null, large: number]) => {
    let missing = 0
    for (let round = 0; round < 2000; round++) {
      const [plain, large] = compute(randomEntry())
      if (plain === null) missing++
      else expect(plain).toBe(large)
    }
    return missing
  }

  it("give the same cost as integers of any size, or none", () => {
    const missing = compare((entry) => {
      const usage = { ...units(), tokens: tokens() }
      return [calculatePlainCost(entry, usage), calculateLargeCost(entry, usage)]
    })
    expect(missing).toBeGreaterThan(200)
    expect(missing).toBeLessThan(1800)
  })

  it("give the same maximum as integers of any size, or none", () => {
    const missing = compare((entry) => {
      const bounds = { ...units(), maxTokensIn: count(), maxTokensOut: count() }
      return [calculatePlainMaxCost(entry, bounds), calculateLargeMaxCost(entry, bounds)]
    })
    expect(missing).toBeGreaterThan(200)
    expect(missing).toBeLessThan(1800)
  })

  it("round up the smallest part of a large amount", () => {
    const entry = entryOf({ input: 1_000_000, output: 0.000001 })
    const usage = {
      ...{ serviceTier: null, durationMs: 0 },
      tokens: { ...noTokens, tokens_in: 9000, tokens_out: 1 },
    }
    expect(calculatePlainCost(entry, usage)).toBe(9_000_000_001)
  })
})
