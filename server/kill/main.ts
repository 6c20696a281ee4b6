import { parseArgs } from "node:util"
import type { Counts } from "./kill-worker.ts"
import { type DatabaseName, runKills } from "./run.ts"

const usage = `npm run kill -- [options]
  --rounds 100           number of kills on each database
  --database both        sqlite, postgres or both
  --lanes 2              data folders tested in parallel
  --seed 16              random seed; the same seed produces the same writes`

const everySoMany = 25
const maxShown = 50

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    database: { type: "string", default: "both" },
    lanes: { type: "string", default: "2" },
    seed: { type: "string", default: "16" },
    help: { type: "boolean", default: false },
  },
})

const whole = (name: "rounds" | "lanes" | "seed"): number => {
  const number = Number(values[name])
  if (Number.isInteger(number) && number > 0) return number
  process.stderr.write(`Use a whole number above 0 for --${name}.\n${usage}\n`)
  return process.exit(1)
}

const chosen: Record<string, DatabaseName[]> = {
  both: ["sqlite", "postgres"],
  sqlite: ["sqlite"],
  postgres: ["postgres"],
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const tell = (database: string, counts: Counts, seconds: number): void => {
  const { rounds, acknowledged, checked, backendsKilled, restarts, refused, problems } = counts
  const hurt =
    database === "postgres"
      ? `; PostgreSQL: ${backendsKilled} processes killed, ${restarts} restarts`
      : ""
  say(
    `${database}: ${rounds} kills in ${Math.round(seconds)} s (${(seconds / rounds).toFixed(2)} s each)${hurt}`,
  )
  say(`  ${acknowledged} writes acknowledged, ${checked} reads compared`)
  for (const [what, count] of refused) say(`  ${count} writes failed: ${what}`)
  say(`  ${problems.length} lost or incomplete writes`)
  for (const problem of problems.slice(0, maxShown)) say(`    ${problem}`)
}

const databases = chosen[values.database]
if (values.help || !databases) {
  say(usage)
  process.exit(values.help ? 0 : 1)
}
const seed = whole("seed")
say(`seed ${seed}`)
for (const database of databases) {
  const begun = performance.now()
  let shown = 0
  const progress = ({ rounds, problems }: Counts): void => {
    for (; shown < problems.length; shown++) say(`    ${problems[shown]}`)
    if (rounds % everySoMany === 0)
      say(`  ${database}: ${rounds} kills, ${problems.length} problems`)
  }
  const options = { database, seed, rounds: whole("rounds"), lanes: whole("lanes"), progress }
  const counts = await runKills(options)
  tell(database, counts, (performance.now() - begun) / 1000)
  if (counts.problems.length > 0) process.exitCode = 1
}
