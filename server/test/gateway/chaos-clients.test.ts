import { describe, expect, it } from "vitest"
import { runClientChaos } from "../../chaos/clients/run.ts"
import { maxGrowthMb } from "../../chaos/health.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { amount, isLongForm } from "../harness/short-and-long-form.ts"

/** `npm run chaos:clients` sends more. */
const requests = amount(800, 4000)

/** Other requests on each database. */
const databases = chooseDatabases().map((database, index) => ({ ...database, seed: 16 + index }))

describe.each(databases)(
  "clients that disconnect during requests on $name",
  ({ createDatabase, seed }) => {
    it("leave no open file, occupied slot, held lock or upload that cannot be resumed", async () => {
      const found = await createDatabase()
      try {
        const result = await runClientChaos({ env: found.env, seed, requests })
        expect(result.problems).toEqual([])
        expect(result.uploads).toBeGreaterThan(amount(2, 12))
        // A short run has too few samples: they mostly show the cold start and other load.
        if (isLongForm) expect(result.latency.gateway - result.latency.control).toBeLessThan(1500)
        expect(result.memory.after).toBeLessThan(result.memory.before + maxGrowthMb)
      } finally {
        await found.remove()
      }
    }, 300_000)
  },
)
