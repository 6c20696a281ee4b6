import { parseArgs } from "node:util"
import { databaseChoices, runOnEachDatabase } from "../test/harness/run-on-each-database.ts"
import { type ClientChaosResult, runClientChaos } from "./clients/run.ts"
import { isHealthy } from "./health.ts"

const usage = `npm run chaos:clients -- [options]
  --database both        sqlite, postgres or both
  --requests 20000       requests, each aborted by its client
  --seed 1               random seed; the same seed produces the same requests`

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const { values } = parseArgs({
  options: {
    database: { type: "string", default: "both" },
    requests: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
})

const print = (database: string, result: ClientChaosResult): void => {
  const { sent, uploads, problems, latency, memory } = result
  for (const problem of problems) say(`  PROBLEM ${problem}`)
  say(
    `${database}: ${sent} requests aborted, including ${uploads} resumable uploads; ` +
      `${problems.length} problems; /health p99 ${latency.gateway.toFixed(0)} ms, ` +
      `control ${latency.control.toFixed(0)} ms; ` +
      `${memory.before.toFixed(0)} MB before, ${memory.after.toFixed(0)} after`,
  )
}

if (values.help || !databaseChoices.includes(values.database)) {
  say(usage)
  process.exit(values.help ? 0 : 1)
}
await runOnEachDatabase(values.database, async (database, env) => {
  const result = await runClientChaos({
    env,
    seed: Number(values.seed),
    requests: Number(values.requests),
    progress: (sent) => say(`  ${database}: ${sent} requests`),
  })
  print(database, result)
  if (!isHealthy(result)) process.exitCode = 1
})
