import type { TestGateway } from "../../server/test/harness/gateway.ts"

/** Prices from two times, of a provider's model with an end, and of a local one by the hour. */
export const seedPrices = async ({ call }: TestGateway): Promise<void> => {
  const path = "/api/v1/prices"
  const prices = { input: 2500, cached_input: 250, output: 15_000 }
  await call("PUT", `${path}/gpt-fake`, { ...prices, input: 3000, from: 1_767_225_600 })
  await call("PUT", `${path}/gpt-fake`, {
    ...prices,
    from: 1_782_864_000,
    tiers: [{ above: 200_000, input: 5000, output: 22_500 }],
    service_tiers: { priority: { input: 5000, output: 30_000 } },
    ...{ context_length: 400_000, max_output: 128_000, capabilities: ["vision", "tools"] },
    ...{ end_of_life: "2027-03-01", successor: "gpt-reason-fake" },
    source: "https://provider.example.com/prices",
  })
  await call("PUT", `${path}/llama3.2:latest`, { gpu_hour: 2.5e9, from: 1_767_225_600 })
}
