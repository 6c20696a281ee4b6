// `npm run bench:scim`: SCIM at the size of a large organization, on both databases.
// `-- --small` runs at a twentieth of the size, `-- sqlite` or `-- postgresql` on one database;
// `-- "--node-options=--cpu-prof --cpu-prof-dir=FOLDER"` profiles the gateway.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { sql } from "kysely"
import { openDatabase } from "../src/db/open.ts"
import { findPostgresBinDir, startCluster } from "../test/setup/postgres.ts"
import { type Mark, passes } from "./measure/line.ts"
import { readCpu, readRss } from "./measure/process-stats.ts"
import { formatMarks } from "./measure/table.ts"
import { type Sizes, seed } from "./scim/data.ts"
import { type Gateway, startGateway } from "./scim/gateway.ts"
import { type Row, rowsFor } from "./scim/rows.ts"

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    small: { type: "boolean", default: false },
    "node-options": { type: "string", default: "" },
  },
})
const wants = (name: string): boolean => positionals.length === 0 || positionals.includes(name)
const sizes: Sizes = options.small
  ? { users: 5_000, groups: 100, largeGroup: 1_000 }
  : { users: 100_000, groups: 2_000, largeGroup: 20_000 }
const nodeOptions = options["node-options"].split(" ").filter(Boolean)

/** Warm-up before the measurement, in seconds. */
const warmSeconds = 40
/** Time until the memory of an idle gateway has settled. */
const settledMs = 5_000
/** Maximum difference in MB between the memory of two idle gateways. */
const sameMemory = 10

type Env = Record<string, string>

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

/** Warms up all rows equally, in pairs of requests: the second undoes what the first adds. */
const warmUp = async (gateway: Gateway, rows: readonly Row[]): Promise<void> => {
  for (const { times, request } of rows) {
    const until = performance.now() + (warmSeconds * 1000) / rows.length
    for (let index = times; performance.now() < until; index += 2) {
      await gateway.ask(request(index))
      await gateway.ask(request(index + 1))
    }
  }
}

const measure = async (
  gateway: Gateway,
  { name, times, at, request, maxMs, minRate }: Row,
): Promise<Mark[]> => {
  const spent: number[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < times; index = next++) {
      const begun = performance.now()
      await gateway.ask(request(index))
      spent.push(performance.now() - begun)
    }
  }
  const begun = performance.now()
  const cpuBefore = readCpu(gateway.pid)
  await Promise.all(Array.from({ length: at }, worker))
  const rate = times / ((performance.now() - begun) / 1000)
  const sorted = spent.toSorted((left, right) => left - right)
  const p99 = quantile(sorted, 0.99)
  const cells = [
    name.padEnd(40),
    rate.toFixed(0).padStart(6),
    quantile(sorted, 0.5).toFixed(1).padStart(7),
    p99.toFixed(1).padStart(7),
    ((readCpu(gateway.pid) - cpuBefore) / times / 1000).toFixed(2).padStart(10),
  ]
  console.log(`| ${cells.join(" | ")} |`)
  return [
    ...(maxMs ? [{ what: `${name}, p99`, value: p99, unit: "ms", limit: maxMs }] : []),
    ...(minRate
      ? [
          {
            what: `${name}, time per request`,
            value: 1000 / rate,
            unit: "ms",
            limit: 1000 / minRate,
          },
        ]
      : []),
  ]
}

/** RSS of an idle gateway in MB. */
const restingMemory = async (gateway: Gateway): Promise<number> => {
  await sleep(settledMs)
  return readRss(gateway.pid)
}

const temporary = (): string => mkdtempSync(join(tmpdir(), "portico-bench-scim-"))

/** RSS on an empty database at the second start; the first one creates the tables. */
const emptyMemory = async (env: Env): Promise<number> => {
  const first = await startGateway(env, nodeOptions)
  await restingMemory(first)
  await first.stop()
  const gateway = await startGateway(env, nodeOptions)
  try {
    return await restingMemory(gateway)
  } finally {
    await gateway.stop()
  }
}

const fill = async (env: Env): Promise<void> => {
  const db = await openDatabase({ DATA_DIR: env.DATA_DIR ?? "", DATABASE_URL: env.DATABASE_URL })
  await seed(db, sizes)
  if (env.DATABASE_URL) {
    await sql`vacuum analyze`.execute(db.read)
    await sql`checkpoint`.execute(db.read)
  }
  await db.close()
  if (db.file) {
    const database = new DatabaseSync(db.file)
    database.exec("pragma wal_checkpoint(truncate)")
    database.close()
  }
  // Otherwise the seeded data is still being written and slows down every commit.
  spawnSync("sync")
}

const run = async (name: string, database: Env): Promise<Mark[]> => {
  const dataDir = temporary()
  const env = { ...database, DATA_DIR: dataDir }
  const empty = await emptyMemory(env)
  await fill(env)
  const gateway = await startGateway(env, nodeOptions)
  try {
    const { users, groups, largeGroup } = sizes
    const full = await restingMemory(gateway)
    const rows = rowsFor(sizes)
    await warmUp(gateway, rows)
    // Lets the garbage of large replies be collected and pending writes finish.
    spawnSync("sync")
    await sleep(settledMs)
    console.log(`\n${name}: ${users} users, ${groups} groups, one of ${largeGroup}\n`)
    console.log(`| ${"request".padEnd(40)} |  req/s |  p50 ms |  p99 ms | CPU ms/req |`)
    console.log(`| ${"-".repeat(40)} | -----: | ------: | ------: | ---------: |`)
    const marks: Mark[] = []
    for (const row of rows) marks.push(...(await measure(gateway, row)))
    const idle = { what: "idle memory above that with no users", unit: "MB", limit: sameMemory }
    marks.push({ ...idle, value: Math.max(0, full - empty) })
    const resident = [empty, full, readRss(gateway.pid)].map((mb) => mb.toFixed(0))
    console.log(`\nresident: ${resident[0]} MB with no users, ${resident[1]} MB with all users,`)
    console.log(`  ${resident[2]} MB directly after these requests\n\n${formatMarks(marks)}`)
    return marks
  } finally {
    await gateway.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const marks: Mark[] = []
if (wants("sqlite")) marks.push(...(await run("SQLite", {})))
const folder = findPostgresBinDir()
if (folder && wants("postgresql")) {
  const cluster = await startCluster(folder)
  try {
    marks.push(...(await run("PostgreSQL", { DATABASE_URL: cluster.url })))
  } finally {
    await cluster.stop()
  }
}
process.exitCode = marks.every(passes) ? 0 : 1
