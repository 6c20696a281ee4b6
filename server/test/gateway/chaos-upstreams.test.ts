import { describe, expect, it } from "vitest"
import { maxGrowthMb } from "../../chaos/health.ts"
import type { Consumer } from "../../chaos/upstreams/consumer.ts"
import { runChaos } from "../../chaos/upstreams/run.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { amount, isLongForm } from "../harness/short-and-long-form.ts"

/** Random mutations; `npm run chaos -- --rounds 2000` runs more. */
const mutations = amount(3, 25)
const consumers = 18
const databases = chooseDatabases()

/**
 * Each consumer gets every n-th broken response. In the long form, the databases complement each
 * other, except for consumers that store the response.
 */
const sampleEvery = ({ storesReply }: Consumer): number =>
  amount(8, storesReply ? 1 : databases.length)

describe.each(databases.map((database, index) => ({ ...database, index })))(
  "a provider with broken responses on $name",
  ({ createDatabase, name, index }) => {
    it("causes a clear error for each request, affects no others, and leaks no memory", async () => {
      const found = await createDatabase()
      try {
        const engine = name === "SQLite" ? "tika" : "docling"
        const result = await runChaos({
          env: found.env,
          seed: 16 + index,
          mutations,
          sampleEvery,
          sample: index,
          engine,
        })
        expect(result.problems).toEqual([])
        expect(result.outcomes.size).toBe(consumers)
        for (const [, { right, error }] of result.outcomes)
          expect(right + error).toBeGreaterThan(amount(10, 80 / databases.length))
        // A short run has too few samples: they mostly show the cold start and other load.
        if (isLongForm) expect(result.latency.gateway - result.latency.control).toBeLessThan(1500)
        expect(result.memory.after).toBeLessThan(result.memory.before + maxGrowthMb)
      } finally {
        await found.remove()
      }
    }, 900_000)
  },
)
