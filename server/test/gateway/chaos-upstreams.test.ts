import { describe, expect, it } from "vitest"
import { mayGrowMb } from "../../chaos/upstreams/memory.ts"
import { runChaos } from "../../chaos/upstreams/run.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { amount, isLongForm } from "../harness/test-size.ts"

/** More of those that are broken by chance: `npm run chaos -- --rounds 2000`. */
const mutations = amount(3, 25)
/** Each consumer gets one broken reply of so many, and all consumers together every one. */
const sampleEvery = amount(8, 1)
const consumers = 18

describe.each(chooseDatabases())(
  "a provider that breaks its replies, on $name",
  ({ place, name }) => {
    it("ends each request with a clear error, harms no other, and takes no memory for good", async () => {
      const found = await place()
      try {
        const engine = name === "SQLite" ? "tika" : "docling"
        const result = await runChaos({ env: found.env, seed: 16, mutations, sampleEvery, engine })
        expect(result.problems).toEqual([])
        expect(result.outcomes.size).toBe(consumers)
        for (const [, { right, error }] of result.outcomes)
          expect(right + error).toBeGreaterThan(80 / sampleEvery)
        // The few samples of a short run show a cold start, and what else the machine does.
        if (isLongForm) expect(result.latency.gateway - result.latency.control).toBeLessThan(1500)
        expect(result.memory.after).toBeLessThan(result.memory.before + mayGrowMb)
      } finally {
        await found.remove()
      }
    }, 900_000)
  },
)
