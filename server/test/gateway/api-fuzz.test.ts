import { describe, expect, it } from "vitest"
import { runRound } from "../../fuzz/api/round.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { amount } from "../harness/test-size.ts"

/** More: `npm run fuzz:api -- --requests 1000000`. The same seed makes the same requests. */
const requests = amount(800, 5000)

describe.each(chooseDatabases())("whatever is asked of the interface, on $name", ({ place }) => {
  it.each([
    { kind: "people", seed: 7 },
    { kind: "everyone", seed: 8 },
  ] as const)(
    "is answered as documented, and nobody gets what is another's and not shared ($kind)",
    async (round) => {
      const found = await place()
      try {
        const result = await runRound({ ...round, requests, env: found.env })
        expect(result.problems).toEqual([])
        expect(result.sent).toBeGreaterThan(requests / 6)
      } finally {
        await found.remove()
      }
    },
    300_000,
  )
})
