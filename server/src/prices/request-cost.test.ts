import { describe, expect, it } from "vitest"
import type { ChargedRequest } from "../usage/charged-request.ts"
import { noTokens } from "../usage/token-counts.ts"
import { createPriceIndex } from "./price-index.ts"
import { createRequestCost } from "./request-cost.ts"
import type { PriceEntry } from "./schema.ts"

const connection = { id: "c", kind: "openai", base_url: "http://x", id_prefix: null } as const
const tokens = { ...noTokens, tokens_in: 10, tokens_out: 5 }
const request: ChargedRequest = {
  ...{ connection, upstreamModel: "gpt", serviceTier: null, tokens },
  ...{ durationMs: 1800, outcome: "ok", at: 1000 },
}
const gpt = { model: "gpt", from: 0, input: 3, output: 7 }

const costOf = (fields: Partial<ChargedRequest>, custom: PriceEntry[] = [gpt]) =>
  createRequestCost(createPriceIndex({ custom, shipped: [], providerOfHost: () => null }))({
    ...request,
    ...fields,
  })

describe("the cost of a request", () => {
  it("is unknown without a price", () => {
    expect(costOf({ upstreamModel: "other" })).toBeNull()
  })

  it("is that of the model's id with the connection's prefix, else of its own name", () => {
    const prefixed = { connection: { ...connection, id_prefix: "lab" } }
    expect(costOf({})).toBe(65)
    expect(costOf(prefixed)).toBe(65)
    expect(costOf(prefixed, [gpt, { ...gpt, model: "lab.gpt", input: 4 }])).toBe(75)
    expect(costOf({}, [gpt, { ...gpt, model: "lab.gpt", input: 4 }])).toBe(65)
  })

  it("is that of the price that holds at the time", () => {
    const raised = { ...gpt, from: 1000, input: 4 }
    expect(costOf({ at: 999 }, [gpt, raised])).toBe(65)
    expect(costOf({ at: 1000 }, [gpt, raised])).toBe(75)
  })

  it("is nothing if a function answered, with or without a price", () => {
    expect(costOf({ connection: null, upstreamModel: null })).toBe(0)
    expect(costOf({ connection: null, upstreamModel: null }, [])).toBe(0)
  })

  it.each(["upstream_error", "refused_request"] as const)(
    "is nothing after %s without tokens, not even a price per request or hour",
    (outcome) => {
      const entry = { ...gpt, request: 1000, gpu_hour: 2_000_000 }
      expect(costOf({ outcome, tokens: noTokens }, [entry])).toBe(0)
      expect(costOf({ outcome, tokens: noTokens }, [])).toBe(0)
      // 65 for the tokens, 1,000 for the request, and half a thousandth of an hour.
      expect(costOf({ outcome }, [entry])).toBe(2065)
      expect(costOf({ tokens: noTokens }, [entry])).toBe(2000)
    },
  )
})
