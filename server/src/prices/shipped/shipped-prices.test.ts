import { describe, expect, it } from "vitest"
import { z } from "zod"
import { toFemto } from "../decimal.ts"
import { tokenPriceNames } from "../price-schema.ts"
import { PriceEntry } from "../schema.ts"
import { containingKindOf, findTokenRates } from "../token-rates.ts"
import { providerOfHost } from "./provider-of-host.ts"
import { shippedPrices, shippedPricesDate } from "./shipped-prices.ts"
import sources from "./sources.json" with { type: "json" }

const nameOf = ({ provider, model }: PriceEntry) => `${provider} ${model}`
const find = (name: string) => shippedPrices.find((entry) => nameOf(entry) === name)
const nanoPerDollarPerMillion = 1000

describe("shipped prices", () => {
  it("are valid entries", () => {
    expect(z.array(PriceEntry).parse(shippedPrices)).toEqual(shippedPrices)
    expect(z.iso.date().parse(shippedPricesDate)).toBe(shippedPricesDate)
  })

  it("have a date that has passed", () => {
    expect(Date.parse(shippedPricesDate)).toBeLessThan(Date.now() + 86_400_000)
  })

  it("list each model of a provider once, in order", () => {
    const names = shippedPrices.map(nameOf)
    expect(names).toEqual([...new Set(names)].sort())
    expect(names.length).toBeGreaterThan(150)
  })

  it("name a provider whose hosts are known, and the page with its prices", () => {
    const hosts = ["api.openai.com", "api.anthropic.com", "generativelanguage.googleapis.com"]
    for (const host of hosts) {
      expect(shippedPrices.some(({ provider }) => provider === providerOfHost(host))).toBe(true)
    }
    expect(new Set(shippedPrices.map(({ provider }) => provider))).toEqual(
      new Set(Object.keys(sources.providers)),
    )
    expect(shippedPrices.filter(({ source }) => !source)).toEqual([])
  })

  it("lie between a thousandth of a dollar and 1,000 dollars per million tokens", () => {
    const outside = shippedPrices.filter(({ input = 0, output = 0 }) => {
      const highest = Math.max(input, output)
      return highest < 0.001 * nanoPerDollarPerMillion || highest > 1000 * nanoPerDollarPerMillion
    })
    expect(outside).toEqual([])
  })

  it("charge no more for cached input than for input, and no less for writing it", () => {
    const wrong = shippedPrices.filter(
      ({ input = 0, cached_input = 0, cache_write = input, cache_write_1h = cache_write }) =>
        cached_input > input || cache_write < input || cache_write_1h < cache_write,
    )
    expect(wrong).toEqual([])
  })

  it("charge no less for longer inputs", () => {
    const wrong = shippedPrices.filter(({ input = 0, output = 0, tiers = [] }) =>
      tiers.some((tier) => (tier.input ?? input) < input || (tier.output ?? output) < output),
    )
    expect(wrong).toEqual([])
  })

  it("charge embeddings by their input only", () => {
    const embeddings = shippedPrices.filter((entry) => entry.capabilities?.includes("embeddings"))
    expect(embeddings.length).toBeGreaterThan(10)
    expect(embeddings.filter(({ input, output }) => !input || output !== 0)).toEqual([])
  })

  it("have the higher prices of long inputs", () => {
    expect(find("google gemini-2.5-pro")).toMatchObject({
      input: 1250,
      output: 10_000,
      tiers: [{ above: 200_000, input: 2500, output: 15_000 }],
    })
    expect(find("openai gpt-5.4")?.tiers).toMatchObject([{ above: 272_000 }])
    expect(find("anthropic claude-haiku-5-5")?.tiers).toMatchObject([{ above: 100_000 }])
  })

  it("have prices of long inputs for each service tier too", () => {
    const tiered = shippedPrices.filter(({ tiers, service_tiers }) => tiers && service_tiers)
    expect(tiered.length).toBeGreaterThan(10)
    const services = tiered.flatMap(({ service_tiers = {} }) => Object.values(service_tiers))
    expect(services.filter(({ tiers }) => !tiers)).toEqual([])
    expect(find("openai gpt-5.5-pro")).toMatchObject({
      tiers: [{ above: 272_000, input: 60_000 }],
      service_tiers: { flex: { input: 15_000, tiers: [{ above: 272_000, input: 30_000 }] } },
    })
  })

  it("change the price of a part with that of its whole", () => {
    const replaced = shippedPrices.flatMap((entry) => {
      const services = Object.values(entry.service_tiers ?? {})
      const tiers = [entry, ...services].flatMap(({ tiers = [] }) => tiers)
      return [...services, ...tiers].map((prices) => ({ entry, prices }))
    })
    const left = replaced.flatMap(({ entry, prices }) =>
      tokenPriceNames.filter((part) => {
        const whole = containingKindOf(part)
        const isReplaced = whole && prices[whole] !== undefined && prices[whole] !== entry[whole]
        const isOwn = entry[part] !== undefined && prices[part] === undefined
        return isReplaced && isOwn && entry[part] === entry[whole]
      }),
    )
    expect(replaced.length).toBeGreaterThan(50)
    expect(left).toEqual([])
    const { output } = find("google gemini-2.5-flash")?.service_tiers?.priority ?? {}
    const entry = find("google gemini-2.5-flash") as PriceEntry
    expect(output).toBe(4500)
    const rates = findTokenRates(entry, { tokensIn: 1, serviceTier: "priority" })
    expect(rates.reasoning).toBe(toFemto(4500))
  })

  it("have the prices of Claude's prompt cache", () => {
    expect(find("anthropic claude-opus-4-8")).toMatchObject({
      input: 5000,
      cached_input: 500,
      cache_write: 6250,
      cache_write_1h: 10_000,
      output: 25_000,
    })
  })

  it("name the end of life and the successor", () => {
    expect(find("openai gpt-5-mini")).toMatchObject({
      end_of_life: "2026-12-11",
      successor: "gpt-5.6-terra",
    })
  })
})

describe("corrections of the price file", () => {
  it("state a reason, and apply to a model in the table", () => {
    for (const { provider, model, reason, set } of sources.overrides) {
      expect(reason).not.toBe("")
      expect(find(`${provider} ${model}`)).toMatchObject(set)
    }
  })
})
