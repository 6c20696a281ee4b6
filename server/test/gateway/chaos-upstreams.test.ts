import { describe, expect, it } from "vitest"
import { maxGrowthMb } from "../../chaos/health.ts"
import { runChaos } from "../../chaos/upstreams/run.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { amount, isLongForm } from "../harness/short-and-long-form.ts"

/** Random mutations; `npm run chaos -- --rounds 2000` runs more. */
const mutations = amount(3, 25)
/** Each consumer gets every n-th broken response; together, the consumers get all of them. */
const sampleEvery = amount(8, 1)
const consumers = 18

describe.each(chooseDatabases())(
  "a provider with broken responses on $name",
  ({ createDatabase, name }) => {
    it("causes a clear error for each request, affects no others, and leaks no memory", async () => {
      const found = await createDatabase()
      try {
        const engine = name === "SQLite" ? "tika" : "docling"
        const result = await runChaos({ env: found.env, seed: 16, mutations, sampleEvery, engine })
        expect(result.problems).toEqual([])
        expect(result.outcomes.size).toBe(consumers)
        for (const [, { right, error }] of result.outcomes)
          expect(right + error).toBeGreaterThan(80 / sampleEvery)
        // A short run has too few samples: they mostly show the cold start and other load.
        if (isLongForm) expect(result.latency.gateway - result.latency.control).toBeLessThan(1500)
        expect(result.memory.after).toBeLessThan(result.memory.before + maxGrowthMb)
      } finally {
        await found.remove()
      }
    }, 900_000)
  },
)
