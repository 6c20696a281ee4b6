import { describe, expect, it } from "vitest"
import { createPriceIndex, type PriceQuery } from "./price-index.ts"
import type { PriceEntry } from "./schema.ts"

const openai = { id: "c1", kind: "openai", base_url: "https://api.openai.com/v1" }
const local = { id: "c2", kind: "openai", base_url: "http://10.0.0.5:8000/v1" }
const claude = { id: "c3", kind: "anthropic", base_url: "https://proxy.example.com" }

const providerOfHost = (host: string) => (host === "api.openai.com" ? "openai" : null)

/** The input price tells the entries of a test apart. */
const entry = (input: number, fields: Partial<PriceEntry> = {}): PriceEntry => ({
  ...{ model: "gpt", from: 0, input, output: 0 },
  ...fields,
})

const query = (fields: Partial<PriceQuery> = {}): PriceQuery => ({
  ...{ endpointId: "gpt", upstreamModel: "gpt", connection: openai, at: 1000 },
  ...fields,
})

const priceOf = (
  entries: { custom?: PriceEntry[]; shipped?: PriceEntry[] },
  fields: Partial<PriceQuery> = {},
): number | undefined => {
  const index = createPriceIndex({ custom: [], shipped: [], ...entries, providerOfHost })
  return index.findPrice(query(fields))?.input
}

describe("the price of a request", () => {
  const shipped = [entry(1, { provider: "openai" })]

  it("is unknown without an entry", () => {
    expect(priceOf({}, {})).toBeUndefined()
    expect(priceOf({ shipped }, { upstreamModel: "other" })).toBeUndefined()
  })

  it("is shipped only for a provider's own host", () => {
    expect(priceOf({ shipped })).toBe(1)
    expect(priceOf({ shipped }, { connection: local })).toBeUndefined()
    for (const base_url of ["https://api.openai.com:8443/v1", "https://api.openai.com./v1"]) {
      expect(priceOf({ shipped }, { connection: { ...openai, base_url } })).toBe(1)
    }
    const address = "http://api.openai.com.example.com/v1"
    expect(priceOf({ shipped }, { connection: { ...openai, base_url: address } })).toBeUndefined()
  })

  it("is shipped for a connection's own name of a model, not for its id in the gateway", () => {
    const prefixed = { endpointId: "gpt", upstreamModel: "big" }
    expect(priceOf({ shipped }, prefixed)).toBeUndefined()
    expect(
      priceOf({ shipped: [...shipped, entry(9, { model: "big", provider: "openai" })] }, prefixed),
    ).toBe(9)
  })

  it("is an administrator's before the shipped one", () => {
    expect(priceOf({ shipped, custom: [entry(2)] })).toBe(2)
  })

  it("is the connection's before the provider's before the general one", () => {
    const general = entry(2)
    const ofProvider = entry(3, { provider: "openai" })
    const ofConnection = entry(4, { connection: "c1" })
    const custom = [general, ofConnection, ofProvider]
    expect(priceOf({ custom })).toBe(4)
    expect(priceOf({ custom: [general, ofProvider] })).toBe(3)
    expect(priceOf({ custom }, { connection: local })).toBe(2)
  })

  it("is the provider's for each connection with its API, except for that of OpenAI", () => {
    const custom = [entry(3, { provider: "anthropic" }), entry(4, { provider: "openai" })]
    expect(priceOf({ custom }, { connection: claude })).toBe(3)
    expect(priceOf({ custom }, { connection: local })).toBeUndefined()
  })

  it("is the latest that has begun", () => {
    const custom = [entry(2, { from: 500 }), entry(3, { from: 1000 }), entry(4, { from: 1001 })]
    expect(priceOf({ custom })).toBe(3)
    expect(priceOf({ custom }, { at: 1001 })).toBe(4)
    expect(priceOf({ custom }, { at: 499 })).toBeUndefined()
    expect(priceOf({ custom, shipped }, { at: 499 })).toBe(1)
  })

  it("is that of the model's id in the gateway before that of the connection's own name", () => {
    const custom = [entry(3, { model: "azure.gpt" }), entry(4)]
    const endpointId = "azure.gpt"
    expect(priceOf({ custom }, { endpointId })).toBe(3)
    expect(priceOf({ custom: custom.slice(1) }, { endpointId })).toBe(4)
  })

  it("is found without the prefix of Google's names", () => {
    expect(priceOf({ shipped }, { upstreamModel: "models/gpt" })).toBe(1)
  })

  it("is that of an earlier entry if the latest one only states facts", () => {
    const facts: PriceEntry = { model: "gpt", from: 900, context_length: 5 }
    expect(priceOf({ custom: [entry(2), facts] })).toBe(2)
    expect(priceOf({ custom: [facts], shipped })).toBe(1)
  })
})

describe("the facts of a model", () => {
  it("are those of the most specific entry that states them", () => {
    const index = createPriceIndex({
      custom: [
        { model: "gpt", from: 0, context_length: 5, max_output: 3 },
        { model: "gpt", connection: "c1", from: 0, context_length: 7 },
      ],
      shipped: [entry(1, { provider: "openai", max_output: 9, end_of_life: "2027-01-01" })],
      providerOfHost,
    })
    expect(index.findFacts(query())).toEqual({
      context_length: 7,
      max_output: 3,
      end_of_life: "2027-01-01",
    })
    expect(index.findFacts(query({ connection: local }))).toEqual({
      context_length: 5,
      max_output: 3,
    })
  })

  it("end with the entry that a later one replaces", () => {
    const custom = [
      { model: "gpt", from: 0, successor: "gpt-2" },
      { model: "gpt", from: 10, context_length: 5 },
    ]
    const index = createPriceIndex({ custom, shipped: [], providerOfHost })
    expect(index.findFacts(query())).toEqual({ context_length: 5 })
  })
})
