import { parseArgs } from "node:util"
import { databaseChoices, runOnEachDatabase } from "../test/harness/run-on-each-database.ts"
import { isHealthy } from "./health.ts"
import { type ChaosResult, runChaos } from "./upstreams/run.ts"

const usage = `npm run chaos -- [options]
  --database both        sqlite, postgres or both
  --rounds 0             randomly mutated replies per consumer, in addition to the table
  --seed 1               random seed; the same seed produces the same replies
  --consumer TEXT        run only consumers whose name contains TEXT
  --row TEXT             run only rows whose name contains TEXT`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const { values } = parseArgs({
  options: {
    database: { type: "string", default: "both" },
    rounds: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    consumer: { type: "string" },
    row: { type: "string" },
    help: { type: "boolean", default: false },
  },
})

const print = (database: string, { outcomes, problems, ...result }: ChaosResult): void => {
  const { replies, latency, memory } = result
  for (const [name, { right, other, error, cut }] of outcomes) {
    say(`  ${name}: ${right} correct, ${other} different, ${error} errors, ${cut} truncated`)
  }
  for (const problem of problems) say(`  PROBLEM ${problem}`)
  say(
    `${database}: ${replies} broken replies, ${problems.length} problems; /health p99 ` +
      `${latency.gateway.toFixed(0)} ms, control ${latency.control.toFixed(0)} ms; ` +
      `${memory.before.toFixed(0)} MB before, ${memory.max.toFixed(0)} MB peak, ${memory.after.toFixed(0)} MB after`,
  )
}

if (values.help || !databaseChoices.includes(values.database)) {
  say(usage)
  process.exit(values.help ? 0 : 1)
}
await runOnEachDatabase(values.database, async (database, env) => {
  const result = await runChaos({
    env,
    seed: Number(values.seed),
    mutations: Number(values.rounds),
    engine: database === "sqlite" ? "tika" : "docling",
    ...(values.consumer && { consumers: new RegExp(RegExp.escape(values.consumer)) }),
    ...(values.row && { rows: new RegExp(RegExp.escape(values.row)) }),
    progress: (consumer, replies) => say(`  ${database}: ${consumer}, ${replies} replies`),
  })
  print(database, result)
  if (!isHealthy(result)) process.exitCode = 1
})
