import { describe, expect, it } from "vitest"
import { runRound } from "../../fuzz/api/round.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { amount } from "../harness/short-and-long-form.ts"

/**
 * `npm run fuzz:api -- --requests 1000000` sends more. The same seed generates the same requests.
 */
const requests = amount(800, 3000)

/** Other requests on each database. */
const databases = chooseDatabases().map((database, index) => ({
  ...database,
  firstSeed: 7 + 2 * index,
}))

describe.each(databases)("random API requests on $name", ({ createDatabase, firstSeed }) => {
  it.each([
    { kind: "people", seed: firstSeed },
    { kind: "everyone", seed: firstSeed + 1 },
  ] as const)(
    "get responses as documented, and never another user's private data ($kind)",
    async (round) => {
      const found = await createDatabase()
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
