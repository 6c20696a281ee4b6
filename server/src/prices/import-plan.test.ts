import { describe, expect, it } from "vitest"
import { planUpdate } from "./import-plan.ts"
import { exportLiteLlm } from "./litellm-export.ts"
import { importLiteLlm } from "./litellm-import.ts"
import type { PriceEntry } from "./schema.ts"
import { shippedPrices } from "./shipped/shipped-prices.ts"

const from = 1000
const entry = (fields: Partial<PriceEntry> = {}): PriceEntry => ({
  ...{ model: "gpt", provider: "openai", from, input: 1, output: 2 },
  ...fields,
})
const plan = (incoming: PriceEntry, existing: PriceEntry[], shipped: PriceEntry[] = []) =>
  planUpdate({ existing, shipped, incoming: [incoming], from })

describe("an update of prices", () => {
  it("adds what is new, and keeps what already holds", () => {
    expect(plan(entry(), [])).toMatchObject({ added: [entry()], changed: [], unchanged: 0 })
    expect(plan(entry(), [entry({ from: 3 })])).toMatchObject({ added: [], unchanged: 1 })
  })

  it("compares with what holds when it begins, not with earlier or future entries", () => {
    const history = [entry({ from: 900, input: 5 }), entry({ from: 3 })]
    expect(plan(entry(), history).changed).toEqual([{ before: history[0], after: entry() }])
    const future = entry({ from: 1001 })
    expect(plan(entry(), [future]).added).toEqual([entry()])
    expect(plan(entry(), [entry({ from: 900, input: 5 }), future]).unchanged).toBe(0)
  })

  it("repeats no shipped entry, unless an own one replaces that", () => {
    const shipped = [entry({ from: 0, source: "https://a.example", max_output: 5 })]
    expect(plan(entry(), [], shipped)).toMatchObject({ added: [], changed: [], unchanged: 1 })
    expect(plan(entry({ max_output: 6 }), [], shipped).changed).toEqual([
      { before: shipped[0], after: entry({ max_output: 6 }) },
    ])
    const own = entry({ from: 5, input: 9 })
    expect(plan(entry(), [own], shipped).changed).toEqual([{ before: own, after: entry() }])
  })

  it("with an export of the shipped table changes nothing", async () => {
    const file = JSON.parse(JSON.stringify(exportLiteLlm(shippedPrices, from)))
    const { entries, skipped } = await importLiteLlm(file)
    const incoming = entries.map((one) => ({ ...one, from }))
    expect(skipped).toEqual([])
    expect(planUpdate({ existing: [], shipped: shippedPrices, incoming, from })).toEqual({
      ...{ added: [], changed: [] },
      unchanged: shippedPrices.length,
    })
  })
})
