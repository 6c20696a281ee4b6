// `npm run bench:scim`: SCIM at the size of a large organisation, on both databases.
// `-- --small` for a twentieth of it; `-- sqlite` or `-- postgresql` for one of them.
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { sql } from "kysely"
import { openDatabase } from "../src/db/open.ts"
import { startCluster } from "../test/setup/postgres.ts"
import { readCpu, readRss } from "./proc.ts"
import { groupId, type Sizes, seed, userId } from "./scim-data.ts"

const token = "bench-scim-token-0123456789abcdef0123456789"
const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
const asked = ["sqlite", "postgresql"].filter((name) => process.argv.includes(name))
const wants = (name: string): boolean => asked.length === 0 || asked.includes(name)
const small = process.argv.includes("--small")
const sizes: Sizes = small
  ? { users: 5_000, groups: 100, largeGroup: 1_000 }
  : { users: 100_000, groups: 2_000, largeGroup: 20_000 }

type Env = Record<string, string>

const startGateway = async (env: Env) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../src/main.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      OLLAMA_BASE_URLS: ";",
      SECRET_KEY: "a secret key of the benchmark, long enough",
      SCIM_ENABLED: "true",
      SCIM_TOKEN: token,
      SCIM_RATE_LIMIT: "off",
      LOG_LEVEL: "info",
      ...env,
    },
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error("The gateway ended")))
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /"url":"(http[^"]+)".*"listening"/.exec(line)?.[1]
      if (found) resolve(found)
    })
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  return {
    pid: child.pid ?? 0,
    base: `${url}/api/v1/scim/v2`,
    stop: async () => {
      child.kill("SIGTERM")
      await ended
    },
  }
}

interface Asked {
  method?: string
  path: string
  body?: unknown
}

const ask = async (base: string, { method = "GET", path, body }: Asked): Promise<void> => {
  const response = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
}

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

interface Row {
  name: string
  times: number
  /** Requests under way at the same time. */
  at: number
  request: (index: number) => Asked
}

const measure = async (
  { base, pid }: { base: string; pid: number },
  { name, times, at, request }: Row,
): Promise<string> => {
  const spent: number[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < times; index = next++) {
      const begun = performance.now()
      await ask(base, request(index))
      spent.push(performance.now() - begun)
    }
  }
  for (let index = 0; index < Math.min(5, times); index++) await ask(base, request(times + index))
  const begun = performance.now()
  const cpuBefore = readCpu(pid)
  await Promise.all(Array.from({ length: at }, worker))
  const seconds = (performance.now() - begun) / 1000
  const sorted = spent.toSorted((left, right) => left - right)
  const cells = [
    name.padEnd(44),
    String(Math.round(times / seconds)).padStart(6),
    quantile(sorted, 0.5).toFixed(1).padStart(7),
    quantile(sorted, 0.99).toFixed(1).padStart(7),
    ((readCpu(pid) - cpuBefore) / times / 1000).toFixed(1).padStart(10),
  ]
  return `| ${cells.join(" | ")} |`
}

const filter = (text: string): string => `filter=${encodeURIComponent(text)}`
const someone = (index: number): number => (index * 7919) % sizes.users

/** Adds a hundred members who are none yet, or removes them again. */
const hundred = (index: number, query: string): Asked => {
  const from = sizes.largeGroup + Math.floor(index / 2) * 100
  const value = Array.from({ length: 100 }, (_, offset) => ({
    value: userId((from + offset) % sizes.users),
  }))
  const op = index % 2 === 0 ? "add" : "remove"
  const body = { schemas: [patchUrn], Operations: [{ op, path: "members", value }] }
  return { method: "PATCH", path: `/Groups/${groupId(0)}${query}`, body }
}

const created = (index: number, run: string): Asked => ({
  method: "POST",
  path: "/Users",
  body: {
    userName: `made-${run}-${index}@bench.example`,
    name: { givenName: "Made", familyName: `By ${index}` },
    emails: [{ value: `made-${index}@bench.example`, type: "work", primary: true }],
    externalId: `made-${run}-${index}`,
    active: true,
  },
})

const rows: Row[] = [
  {
    name: "userName eq",
    times: 2000,
    at: 1,
    request: (i) => ({ path: `/Users?${filter(`userName eq "USER${someone(i)}@bench.example"`)}` }),
  },
  {
    name: "externalId eq",
    times: 2000,
    at: 1,
    request: (i) => ({ path: `/Users?${filter(`externalId eq "external-${someone(i)}"`)}` }),
  },
  {
    name: 'emails[type eq "work"].value eq',
    times: 1000,
    at: 1,
    request: (i) => {
      const text = `emails[type eq "work"].value eq "user${someone(i)}@bench.example"`
      return { path: `/Users?${filter(text)}` }
    },
  },
  {
    name: "userName co",
    times: 30,
    at: 1,
    request: (i) => ({ path: `/Users?${filter(`userName co "er${someone(i)}@"`)}` }),
  },
  {
    name: "list, 100 from the end",
    times: 30,
    at: 1,
    request: () => ({ path: `/Users?startIndex=${sizes.users - 100}&count=100` }),
  },
  { name: "list, first 100", times: 50, at: 1, request: () => ({ path: "/Users?count=100" }) },
  { name: "create, one at a time", times: 500, at: 1, request: (i) => created(i, "one") },
  { name: "create, eight at a time", times: 2000, at: 8, request: (i) => created(i, "eight") },
  {
    name: "PATCH ±100 members of the large group",
    times: 30,
    at: 1,
    request: (i) => hundred(i, ""),
  },
  {
    name: "the same, excludedAttributes=members",
    times: 60,
    at: 1,
    request: (i) => hundred(i, "?excludedAttributes=members"),
  },
]

const run = async (name: string, env: Env): Promise<void> => {
  const dataDir = mkdtempSync(join(tmpdir(), "portico-bench-scim-"))
  const db = await openDatabase({ DATA_DIR: dataDir, DATABASE_URL: env.DATABASE_URL })
  await seed(db, sizes)
  if (env.DATABASE_URL) await sql`vacuum analyze`.execute(db.read)
  await db.close()
  // What was seeded is still on its way to the disk, and would make every commit wait.
  spawnSync("sync")
  const gateway = await startGateway({ DATA_DIR: dataDir, ...env })
  try {
    const { users, groups, largeGroup } = sizes
    console.log(`\n${name}: ${users} users, ${groups} groups, one of ${largeGroup}\n`)
    console.log(`| ${"request".padEnd(44)} |  req/s |  p50 ms |  p99 ms | CPU ms/req |`)
    console.log(`| ${"-".repeat(44)} | -----: | ------: | ------: | ---------: |`)
    const idle = readRss(gateway.pid)
    for (const row of rows) console.log(await measure(gateway, row))
    const resident = `${Math.round(idle)} MB before, ${Math.round(readRss(gateway.pid))} MB after`
    console.log(`\nresident: ${resident}`)
  } finally {
    await gateway.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const packages = "/usr/lib/postgresql"
const binaries = (existsSync(packages) ? readdirSync(packages) : [])
  .toSorted((left, right) => Number(right) - Number(left))
  .map((version) => join(packages, version, "bin"))
  .find((folder) => existsSync(join(folder, "initdb")))

if (wants("sqlite")) await run("SQLite", {})
if (binaries && wants("postgresql")) {
  const cluster = await startCluster(binaries)
  try {
    await run("PostgreSQL", { DATABASE_URL: cluster.url })
  } finally {
    await cluster.stop()
  }
}
