import { afterAll, expect, it } from "vitest"
import { runKills } from "../../kill/run.ts"
import { hasPostgres } from "../harness/databases.ts"
import { killAll } from "../harness/gateway-process.ts"

// The whole of it: npm run kill -- --rounds 1000
const rounds = 5
afterAll(killAll)

const expectNothingLost = async (database: "sqlite" | "postgres"): Promise<void> => {
  const { acknowledged, checked, problems } = await runKills({
    database,
    rounds,
    seed: 16,
    lanes: 1,
  })
  expect(problems).toEqual([])
  expect([acknowledged > rounds, checked > rounds]).toEqual([true, true])
}

it(
  "kill -9 in the middle of mixed writes loses nothing, and leaves nothing half done, on SQLite",
  () => expectNothingLost("sqlite"),
  180_000,
)

it.runIf(hasPostgres)(
  "kill -9 of gateways and of PostgreSQL loses nothing, and leaves nothing half done",
  () => expectNothingLost("postgres"),
  240_000,
)
