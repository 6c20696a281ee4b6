import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createRandom } from "../bench/rag/figures.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../test/fakes/openai.ts"
import {
  startTestGatewayProcess,
  type TestGatewayProcess,
} from "../test/harness/test-gateway-process.ts"
import { findHalfDone } from "./invariants.ts"
import { createLedger } from "./ledger.ts"
import { mixedWrites, runId, scimToken, settingsWrites, type Writer } from "./writes.ts"

const secretKey = "a secret key for kill -9, long enough"
const writersAtOnce = 4
/** A gateway is killed after so many writes at the most, and in the middle of the next ones. */
const maxWrites = 40
const lastMs = 20
/** However slow the machine is. */
const maxMs = 3000
/** How long a gateway goes on that has lost its database. */
const hurtMs = 400
/** After so many rounds the folder is looked through whole, and another one begins. */
const roundsPerFolder = 50

/** A PostgreSQL that may be hurt, or none. */
export interface Server {
  /** An empty database on it. */
  place(): Promise<{ url: string; remove: () => Promise<void> }>
  /** Kills one of its processes with SIGKILL, which ends all connections. */
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

/** One folder after the other: start, check what was promised, write, kill -9, again. */
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

/** Writes from several sides until the gateway is killed, at a moment that nobody chose. */
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
      // The gateway, or its database, is gone in the middle of it.
      await next?.(writer).catch(() => sleep(5))
    }
  }

  /** Now and then PostgreSQL is hurt first, and the gateway goes on for a while. */
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
