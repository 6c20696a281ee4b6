// `npm run bench:notifications`: what announcing each change with NOTIFY costs on PostgreSQL, where
// commits that notify wait for one another. Two processes' pools write, as fast as they can and at
// fixed rates; a control writes the same without announcing it.
import { setTimeout as sleep } from "node:timers/promises"
import { sql } from "kysely"
import { createPostgresBus } from "../src/bus/postgres-bus.ts"
import { openPostgres } from "../src/db/postgres.ts"
import { createTestBackground } from "../test/harness/background.ts"
import { percentile } from "../test/harness/timing.ts"
import { createPostgresDatabase, findPostgresBinDir, startCluster } from "../test/setup/postgres.ts"

const seconds = 4
const writersPerProcess = 10
/** Changes per second; 100 is about what 1,000 people who chat make. */
const rates = [100, 1000]

const binDir = findPostgresBinDir()
if (!binDir) throw new Error("PostgreSQL is not installed")
const cluster = await startCluster(binDir)
const { url } = await createPostgresDatabase(cluster.url)
const background = createTestBackground()
const processes = [1, 2].map(() => ({
  db: openPostgres(url),
  bus: createPostgresBus(url, background),
}))

/** @returns its time in ms */
const write = async (n: number, notifies: boolean): Promise<number> => {
  const startedAt = performance.now()
  for (const { db, bus } of processes.slice(n % 2, (n % 2) + 1)) {
    await db.transact(async (tx) => {
      await sql`update things set value = ${n} where id = ${n % 1000}`.execute(tx)
      if (notifies) await bus.publish(tx, { topic: "chats", user_id: "someone", id: `chat ${n}` })
    })
  }
  return performance.now() - startedAt
}

const report = (what: string, times: readonly number[], elapsedMs: number): void => {
  const rate = (times.length / elapsedMs) * 1000
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(times, share).toFixed(2))
  console.log(`${what.padEnd(28)} ${rate.toFixed(0).padStart(6)}/s  p50 ${p50} ms  p99 ${p99} ms`)
}

const writeFast = async (notifies: boolean): Promise<void> => {
  const times: number[] = []
  const startedAt = performance.now()
  const writer = async (first: number): Promise<void> => {
    for (let n = first; performance.now() - startedAt < seconds * 1000; n += 2)
      times.push(await write(n, notifies))
  }
  await Promise.all(Array.from({ length: 2 * writersPerProcess }, (_, n) => writer(n)))
  report(`as fast as possible${notifies ? ", NOTIFY" : ""}`, times, performance.now() - startedAt)
}

const writeAtRate = async (rate: number, notifies: boolean): Promise<void> => {
  const startedAt = performance.now()
  const writes: Promise<number>[] = []
  for (let elapsedMs = 0; elapsedMs < seconds * 1000; elapsedMs = performance.now() - startedAt) {
    while (writes.length < (elapsedMs / 1000) * rate) {
      const writing = write(writes.length, notifies)
      writing.catch(() => {})
      writes.push(writing)
    }
    await sleep(1)
  }
  const ends = await Promise.allSettled(writes)
  const times = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []))
  report(`at ${rate}/s${notifies ? ", NOTIFY" : ""}`, times, performance.now() - startedAt)
  const failed = ends.length - times.length
  if (failed > 0) console.log(`  ${failed} failed: no connection was free`)
}

try {
  for (const { db } of processes.slice(0, 1)) {
    await sql`create table things (id int primary key, value int)`.execute(db.read)
    await sql`insert into things select n, 0 from generate_series(0, 999) n`.execute(db.read)
  }
  await writeFast(false)
  for (const notifies of [false, true]) await writeFast(notifies)
  for (const rate of rates) for (const notifies of [false, true]) await writeAtRate(rate, notifies)
} finally {
  for (const { db, bus } of processes) {
    await bus.close()
    await db.close()
  }
  await cluster.stop()
}
