import { describe, expect, it } from "vitest"
import { createChooser } from "../../test/harness/random.ts"
import { noTokens, type TokenCounts } from "../usage/token-counts.ts"
import { calculateCost, calculateMaxCost, hasPrice } from "./cost.ts"
import type { PricedUsage } from "./priced-usage.ts"
import { PriceEntry } from "./schema.ts"

const entryOf = (prices: object) => PriceEntry.parse({ model: "m", from: 0, ...prices })

const costOf = (
  prices: object,
  tokens: Partial<TokenCounts>,
  units: Partial<PricedUsage> = {},
): number =>
  calculateCost(entryOf(prices), {
    serviceTier: null,
    durationMs: 0,
    ...units,
    tokens: { ...noTokens, ...tokens },
  })

const plain = { input: 1000, output: 4000 }

describe("the cost of a request", () => {
  it.each<[string, object, Partial<TokenCounts>, number]>([
    ["input and output", plain, { tokens_in: 10, tokens_out: 5 }, 30_000],
    ["nothing", plain, {}, 0],
    ["decimals, exactly", { input: 0.1, output: 0.2 }, { tokens_in: 10, tokens_out: 10 }, 3],
    ["a fraction, rounded up", { input: 0.000001, output: 0 }, { tokens_in: 1 }, 1],
    ["no more than the sum", { input: 0.333333, output: 0 }, { tokens_in: 3_000_000 }, 999_999],
    [
      "cached input at its own price",
      { ...plain, cached_input: 100 },
      { tokens_in: 10, tokens_cache_read: 4 },
      6400,
    ],
    ["cached input without one", plain, { tokens_in: 10, tokens_cache_read: 4 }, 10_000],
    [
      "both lifetimes of written input",
      { ...plain, cache_write: 1250, cache_write_1h: 2000 },
      { tokens_in: 10, tokens_cache_write: 6, tokens_cache_write_1h: 2 },
      4 * 1000 + 4 * 1250 + 2 * 2000,
    ],
    [
      "input kept for an hour as written input",
      { ...plain, cache_write: 1250 },
      { tokens_in: 2, tokens_cache_write: 2, tokens_cache_write_1h: 2 },
      2500,
    ],
    [
      "reasoning",
      { ...plain, reasoning: 5000 },
      { tokens_out: 10, tokens_reasoning: 4 },
      6 * 4000 + 4 * 5000,
    ],
    [
      "audio and images",
      { ...plain, audio_input: 7, audio_output: 11, image_input: 13, image_output: 17 },
      {
        ...{ tokens_in: 3, tokens_audio_in: 1, tokens_image_in: 1 },
        ...{ tokens_out: 3, tokens_audio_out: 1, tokens_image_out: 1 },
      },
      1000 + 7 + 13 + 4000 + 11 + 17,
    ],
    [
      "a token of two kinds only once, and as audio before as cached",
      { ...plain, cached_input: 100, audio_input: 9000 },
      { tokens_in: 10, tokens_cache_read: 10, tokens_audio_in: 10 },
      90_000,
    ],
    ["counts that are no numbers as 0", plain, { tokens_in: Number.NaN, tokens_out: -3 }, 0],
    [
      "more than 100,000 dollars, as 100,000 dollars",
      { input: 1e9, output: 0 },
      { tokens_in: Number.MAX_SAFE_INTEGER },
      1e14,
    ],
  ])("includes %s", (_what, prices, tokens, expected) => {
    expect(costOf(prices, tokens)).toBe(expected)
  })

  it.each<[string, object, Partial<PricedUsage>, number]>([
    ["requests", { request: 5_000_000 }, {}, 5_000_000],
    ["images", { image: 40_000_000 }, { images: 3 }, 120_000_000],
    ["audio by the millisecond", { audio_minute: 6_000_000 }, { audioMs: 1500 }, 150_000],
    ["hours of a GPU", { gpu_hour: 3_600_000 }, { durationMs: 1001 }, 1001],
    [
      "a started nano-dollar once",
      { gpu_hour: 1, audio_minute: 1 },
      { durationMs: 1, audioMs: 1 },
      1,
    ],
  ])("includes %s", (_what, prices, units, expected) => {
    expect(costOf(prices, {}, units)).toBe(expected)
  })

  const tiered = {
    ...{ input: 10, cached_input: 1, output: 100 },
    tiers: [
      { above: 200, input: 20, output: 150 },
      { above: 400, input: 40 },
    ],
    service_tiers: {
      priority: { input: 30, output: 300, tiers: [{ above: 200, input: 60 }] },
      flex: { input: 5, output: 50, request: 7 },
    },
  }

  it.each<[number, string | null, number]>([
    [200, null, 200 * 10 + 100],
    [201, null, 201 * 20 + 150],
    // The last tier sets no price for output, and tiers do not add up.
    [401, null, 401 * 40 + 100],
    [200, "priority", 200 * 30 + 300],
    [201, "priority", 201 * 60 + 300],
    [201, "flex", 201 * 5 + 50 + 7],
    [200, "toString", 200 * 10 + 100],
    [200, "unknown", 200 * 10 + 100],
  ])(
    "of %i input tokens with service tier %s is set by one tier",
    (tokens_in, serviceTier, expected) => {
      expect(costOf(tiered, { tokens_in, tokens_out: 1 }, { serviceTier })).toBe(expected)
    },
  )

  it("is that of each size of the input, although rates are computed once", () => {
    const entry = entryOf({
      ...plain,
      service_tiers: { flex: { input: 5, tiers: [{ above: 200, input: 8 }] } },
    })
    const cost = (tokens_in: number) =>
      calculateCost(entry, {
        ...{ serviceTier: "flex", durationMs: 0 },
        tokens: { ...noTokens, tokens_in },
      })
    expect([cost(100), cost(300), cost(100)]).toEqual([500, 2400, 500])
  })

  it("keeps a base price that a tier does not replace", () => {
    expect(costOf(tiered, { tokens_in: 300, tokens_cache_read: 300 })).toBe(300)
  })
})

describe("the maximum cost", () => {
  const chooser = createChooser(11)
  const { below, chance, pick } = chooser
  const price = (): number => below(10 ** pick([1, 4, 9])) / 10 ** pick([0, 3, 6])
  const names = ["cached_input", "cache_write", "cache_write_1h", "reasoning", "audio_input"]
  const some = (list: readonly string[]) =>
    Object.fromEntries(list.filter(() => chance(0.5)).map((name) => [name, price()]))
  const kinds = [...names, "input", "output", "audio_output", "image_input", "image_output"]

  const randomEntry = () =>
    entryOf({
      ...some(kinds),
      ...some(["request", "image", "audio_minute", "gpu_hour"]),
      ...{ input: price(), output: price() },
      tiers: [100, 1000].filter(() => chance(0.5)).map((above) => ({ above, ...some(kinds) })),
      service_tiers: {
        flex: { ...some(kinds), tiers: chance(0.5) ? [{ above: 500, ...some(kinds) }] : [] },
      },
    })

  it("is never below the cost of a request within the bounds", () => {
    for (let round = 0; round < 5000; round++) {
      const entry = randomEntry()
      const [maxTokensIn, maxTokensOut] = [below(2000), below(2000)]
      const [tokens_in, tokens_out] = [below(maxTokensIn + 1), below(maxTokensOut + 1)]
      const tokens = {
        ...{ tokens_in, tokens_out },
        ...{ tokens_cache_read: below(2000), tokens_cache_write: below(2000) },
        ...{ tokens_cache_write_1h: below(2000), tokens_reasoning: below(2000) },
        ...{ tokens_audio_in: below(2000), tokens_audio_out: below(2000) },
        ...{ tokens_image_in: below(2000), tokens_image_out: below(2000) },
      }
      const bounds = { images: below(5), audioMs: below(90_000), durationMs: below(90_000) }
      const used = { images: 0, audioMs: below(bounds.audioMs + 1), durationMs: 0 }
      const serviceTier = pick([null, "flex", "priority"])
      const max = calculateMaxCost(entry, { ...bounds, serviceTier, maxTokensIn, maxTokensOut })
      expect(calculateCost(entry, { ...used, serviceTier, tokens })).toBeLessThanOrEqual(max)
    }
  })

  it("is the cost itself if there is only one kind of token", () => {
    const bounds = { serviceTier: null, durationMs: 0, maxTokensIn: 7, maxTokensOut: 3 }
    expect(calculateMaxCost(entryOf(plain), bounds)).toBe(19_000)
  })

  it("includes images, requests, audio and time", () => {
    const entry = entryOf({ request: 1, image: 10, audio_minute: 100, gpu_hour: 1000 })
    const bounds = { serviceTier: null, maxTokensIn: 0, maxTokensOut: 0, images: 3 }
    const times = { audioMs: 120_000, durationMs: 3_600_000 }
    expect(calculateMaxCost(entry, { ...bounds, ...times })).toBe(1 + 30 + 200 + 1000)
  })

  it("is as large as any if a bound is no number", () => {
    const bounds = { serviceTier: null, durationMs: 0, maxTokensIn: 1, maxTokensOut: 1 }
    for (const wrong of [{ maxTokensIn: Number.NaN }, { maxTokensOut: Number.NaN }]) {
      expect(calculateMaxCost(entryOf(plain), { ...bounds, ...wrong })).toBe(1e14)
    }
  })

  it("covers a cheaper tier above an expensive one", () => {
    const entry = entryOf({ ...plain, tiers: [{ above: 10, input: 1 }] })
    const bounds = { serviceTier: null, durationMs: 0, maxTokensIn: 20, maxTokensOut: 0 }
    expect(calculateMaxCost(entry, bounds)).toBe(20_000)
  })
})

describe("an entry", () => {
  it.each<[object, boolean]>([
    [{ input: 0, output: 0 }, true],
    [{ gpu_hour: 5 }, true],
    [{ context_length: 1000 }, false],
  ])("%j has a price: %s", (entry, expected) => {
    expect(hasPrice(entryOf(entry))).toBe(expected)
  })

  it.each<[string, object]>([
    ["an output price without one of input", { output: 5 }],
    ["an input price without one of output", { input: 5 }],
    ["a part's price without that of the whole", { cached_input: 5 }],
    ["tiers without a base", { tiers: [{ above: 5, input: 3 }] }],
    ["unsorted tiers", { ...plain, tiers: [{ above: 5 }, { above: 5 }] }],
    ["a provider and a connection", { ...plain, provider: "openai", connection: "c" }],
    ["seven decimals", { input: 0.0000001, output: 0 }],
    ["sixteen digits", { input: 0, output: 0, request: 1234567890.123456 }],
    ["nothing", {}],
    ["the name of another route", { ...plain, model: "export" }],
    [
      "too many service tiers",
      {
        ...plain,
        service_tiers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`t${n}`, {}])),
      },
    ],
    ["a negative price", { input: -1, output: 0 }],
    ["a price above a dollar per token", { input: 1_000_000_001, output: 0 }],
    ["an unknown member", { ...plain, cache_input: 3 }],
    ["a day that no calendar has", { end_of_life: "2026-02-30" }],
  ])("cannot have %s", (_what, entry) => {
    expect(PriceEntry.safeParse({ model: "m", from: 0, ...entry }).success).toBe(false)
  })
})
