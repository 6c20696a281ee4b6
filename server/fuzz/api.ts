import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { createPostgresDatabase, findPostgresBinDir, startCluster } from "../test/setup/postgres.ts"
import { type RoundResult, runRound } from "./api/round.ts"

const usage = `npm run fuzz:api -- [options]
  --requests 20000       total number of requests
  --round 10000          requests per gateway before a fresh one is started
  --seed 1               random seed; the same seed produces the same requests
  --kind people          people, or everyone to include administrators; alternates by default
  --database sqlite      sqlite, or postgres: the newest version under /usr/lib/postgresql`

const kinds = ["people", "everyone"]

/** Allowed difference between the p99 latency of `/health` and of a bare server, in ms. */
const maxAddedMs = 250

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const openPostgres = async () => {
  const folder = findPostgresBinDir()
  if (!folder) throw new Error("PostgreSQL is not installed.")
  const cluster = await startCluster(folder)
  return { create: () => createPostgresDatabase(cluster.url), stop: cluster.stop }
}

const print = (round: number, result: RoundResult): void => {
  const { sent, statuses, latency, slowestMs, rssMb, problems } = result
  const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  say(
    `round ${round}: ${sent} requests, ${counts.join(", ")}; /health p99 ` +
      `${latency.gateway.toFixed(1)} ms, control ${latency.control.toFixed(1)} ms; ` +
      `slowest reply ${slowestMs.toFixed(0)} ms; ${rssMb.toFixed(0)} MB`,
  )
  for (const { what, request } of problems) say(`  PROBLEM ${what}\n    ${request}`)
}

const main = async (): Promise<boolean> => {
  const { values } = parseArgs({
    options: {
      requests: { type: "string", default: "20000" },
      round: { type: "string", default: "10000" },
      seed: { type: "string", default: "1" },
      database: { type: "string", default: "sqlite" },
      kind: { type: "string" },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) {
    say(usage)
    return true
  }
  const postgres = values.database === "postgres" ? await openPostgres() : undefined
  const wanted = Number(values.requests)
  let sent = 0
  let problems = 0
  let worst = 0
  try {
    for (let round = 0; sent < wanted; round++) {
      const folder = mkdtempSync(join(tmpdir(), "portico-fuzz-"))
      const database = await postgres?.create()
      const requests = Math.min(wanted - sent, Number(values.round))
      try {
        const result = await runRound({
          seed: Number(values.seed) + round,
          requests,
          kind: (values.kind ?? kinds[round % 2]) === "people" ? "people" : "everyone",
          env: { DATA_DIR: folder, ...(database && { DATABASE_URL: database.url }) },
        })
        print(round, result)
        sent += result.sent
        problems += result.problems.length
        worst = Math.max(worst, result.latency.gateway - result.latency.control)
      } finally {
        await database?.drop()
        rmSync(folder, { recursive: true, force: true })
      }
    }
  } finally {
    await postgres?.stop()
  }
  say(
    `${sent} requests, ${problems} problems; /health p99 at most ${worst.toFixed(0)} ms ` +
      "above that of a bare server in any round",
  )
  return problems === 0 && worst < maxAddedMs
}

process.exitCode = (await main()) ? 0 : 1
