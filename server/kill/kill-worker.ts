import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type FakeOpenAI, startFakeOpenAI } from "../test/fakes/openai.ts"
import { createRandom } from "../test/harness/random.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../test/harness/test-gateway-process.ts"
import { findHalfDone } from "./invariants.ts"
import { createLedger } from "./ledger.ts"
import { mixedWrites, runId, scimToken, settingsWrites, type Writer } from "./writes.ts"

const secretKey = "a secret key for kill -9, long enough"
const writersAtOnce = 4
/** A gateway is killed after at most this many writes, while the next ones are in flight. */
const maxWrites = 40
const lastMs = 20
/** Upper bound for a round, for slow machines. */
const maxMs = 3000
/** How long a gateway keeps running after its database was killed. */
const hurtMs = 400
/** After this many rounds, the data folder is checked completely and replaced by a new one. */
const roundsPerFolder = 50

/** A PostgreSQL server that can be killed and restarted. */
export interface Server {
  /** Creates an empty database. */
  place(): Promise<{ url: string; remove: () => Promise<void> }>
  /** Kills a backend process with SIGKILL; PostgreSQL then closes all connections. */
  killBackend(): Promise<void>
  restart(): Promise<void>
}

export interface Counts {
  rounds: number
  acknowledged: number
  checked: number
  backendsKilled: number
  restarts: number
  refused: Map<string, number>
  problems: string[]
}

export const noCounts = (): Counts => ({
  rounds: 0,
  acknowledged: 0,
  checked: 0,
  backendsKilled: 0,
  restarts: 0,
  refused: new Map(),
  problems: [],
})

interface Options {
  seed: number
  rounds: number
  server: Server | null
  counts: Counts
  /** Called after each round. */
  progress: () => void
}

/** Tests one data folder after another: start, check acknowledged writes, write, kill, repeat. */
export const runWorker = async ({ seed, rounds, server, counts, progress }: Options) => {
  const random = createRandom(seed)
  const upstream = await startFakeOpenAI({ delayMs: 5 })
  try {
    for (let from = 0; from < rounds; from += roundsPerFolder) {
      const count = Math.min(roundsPerFolder, rounds - from)
      await runFolder({ seed, random, count, server, upstream, counts, progress })
    }
  } finally {
    await upstream.close()
  }
}

interface Folder extends Pick<Options, "seed" | "server" | "counts" | "progress"> {
  random: () => number
  count: number
  upstream: FakeOpenAI
}

const runFolder = async (options: Folder): Promise<void> => {
  const { server, upstream, counts, count } = options
  const dataDir = mkdtempSync(join(tmpdir(), "portico-kill-"))
  const place = await server?.place()
  const home = { dataDir, url: place?.url, secretKey }
  const env = {
    DATA_DIR: dataDir,
    ...(place && { DATABASE_URL: place.url }),
    SECRET_KEY: secretKey,
    OPENAI_API_BASE_URLS: upstream.url,
    SCIM_ENABLED: "true",
    SCIM_TOKEN: scimToken,
    SCIM_RATE_LIMIT: "off",
    LOG_LEVEL: "warn",
  }
  const ledger = createLedger()
  const found = (where: string, problems: readonly string[]): void =>
    void counts.problems.push(...problems.map((problem) => `${where}: ${problem}`))

  const load = createLoad(options, ledger)
  for (let round = 0; round < count; round++) {
    const gateway = await startTestGatewayProcess({ ...env, LOG_LEVEL: "info" })
    const { checked, problems } = await ledger.checkFresh(gateway)
    counts.checked += checked
    found(`after round ${counts.rounds}`, problems)
    await load(gateway)
    counts.rounds++
    options.progress()
  }
  const last = await startTestGatewayProcess({ ...env, LOG_LEVEL: "info" })
  const { checked, problems } = await ledger.checkAll(last)
  counts.checked += checked
  counts.acknowledged += ledger.acknowledged()
  found("at the end", problems)
  found("at the end", await findHalfDone(home))
  last.child.kill("SIGTERM")
  await last.exited
  await place?.remove()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Writes concurrently until the gateway is killed at a random moment. */
const createLoad = (
  { seed, random, server, counts }: Folder,
  ledger: ReturnType<typeof createLedger>,
) => {
  const id = runId()
  const made = { groups: [], chats: [], files: [], collections: [] }
  let names = 0

  const write = async (writer: Writer, writes: typeof mixedWrites, ended: AbortSignal) => {
    while (!ended.aborted) {
      const next = writes[Math.floor(random() * writes.length)]
      // The gateway or its database was killed during the write.
      await next?.(writer).catch(() => sleep(5))
    }
  }

  /** Sometimes kills or restarts PostgreSQL first and lets the gateway run on for a while. */
  const hurt = async (): Promise<void> => {
    const dice = random()
    if (!server || dice > 0.2) return
    if (dice < 0.13) {
      counts.backendsKilled++
      await server.killBackend()
    } else {
      counts.restarts++
      await server.restart()
    }
    await sleep(random() * hurtMs)
  }

  return async (gateway: TestGatewayProcess): Promise<void> => {
    const isDone = new AbortController()
    const writer: Writer = {
      server: gateway,
      ledger,
      random,
      made,
      name: () => `w${seed.toString(36)}-${id}-${names++}`,
      refused: (status, what) => {
        const known = status >= 500 && status !== 503 ? what : String(status)
        counts.refused.set(known, (counts.refused.get(known) ?? 0) + 1)
      },
    }
    const writers = Array.from({ length: writersAtOnce }, (_, index) =>
      write(writer, index === 0 ? settingsWrites : mixedWrites, isDone.signal),
    )
    const enough = ledger.acknowledged() + Math.floor(random() * maxWrites)
    const until = performance.now() + maxMs
    while (ledger.acknowledged() < enough && performance.now() < until) await sleep(2)
    await sleep(random() * lastMs)
    await hurt()
    gateway.child.kill("SIGKILL")
    isDone.abort()
    await gateway.exited
    await Promise.all(writers)
  }
}
