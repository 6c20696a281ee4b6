import { describe, expect, it } from "vitest"
import { runClientChaos } from "../../chaos/clients/run.ts"
import { maxGrowthMb } from "../../chaos/health.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { amount, isLongForm } from "../harness/short-and-long-form.ts"

/** `npm run chaos:clients` sends more. */
const requests = amount(800, 6000)

describe.each(chooseDatabases())(
  "clients that disconnect during requests on $name",
  ({ createDatabase }) => {
    it("leave no open file, occupied slot, held lock or upload that cannot be resumed", async () => {
      const found = await createDatabase()
      try {
        const result = await runClientChaos({ env: found.env, seed: 16, requests })
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
