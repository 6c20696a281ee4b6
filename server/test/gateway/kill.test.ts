import { afterAll, expect, it } from "vitest"
import { runKills } from "../../kill/run.ts"
import { hasPostgres } from "../harness/databases.ts"
import { killAllGateways } from "../harness/gateway-process.ts"

// `npm run kill -- --rounds 1000` runs more.
const rounds = 5
afterAll(killAllGateways)

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
  "kill -9 during mixed writes loses no data and leaves no partial writes on SQLite",
  () => expectNothingLost("sqlite"),
  180_000,
)

it.runIf(hasPostgres)(
  "kill -9 of gateways and of PostgreSQL loses no data and leaves no partial writes",
  () => expectNothingLost("postgres"),
  240_000,
)
