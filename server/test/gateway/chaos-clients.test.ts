import { describe, expect, it } from "vitest"
import { runClientChaos } from "../../chaos/clients/run.ts"
import { mayGrowMb } from "../../chaos/upstreams/memory.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { amount, isLongForm } from "../harness/test-size.ts"

/** More: `npm run chaos:clients`. */
const requests = amount(800, 6000)

describe.each(chooseDatabases())(
  "clients that hang up in the midst of it, on $name",
  ({ place }) => {
    it("leave no file open, no place taken, no lock held and no upload that cannot go on", async () => {
      const found = await place()
      try {
        const result = await runClientChaos({ env: found.env, seed: 16, requests })
        expect(result.problems).toEqual([])
        expect(result.uploads).toBeGreaterThan(amount(2, 12))
        // The few samples of a short run show a cold start, and what else the machine does.
        if (isLongForm) expect(result.latency.gateway - result.latency.control).toBeLessThan(1500)
        expect(result.memory.after).toBeLessThan(result.memory.before + mayGrowMb)
      } finally {
        await found.remove()
      }
    }, 300_000)
  },
)
