import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { waitForModels } from "../../test/models/wait-for-models.ts"
import { createPostgresDatabase } from "../../test/setup/postgres.ts"
import { createUserKey, startGateway } from "../measure/gateway.ts"
import { median } from "../measure/median.ts"
import { readRss } from "../measure/process-stats.ts"
import { nextMessage, type Processes } from "../measure/processes.ts"
import { prepare } from "./attack-setup.ts"
import { openAddress } from "./neighbor.ts"
import { type ProbeJob, ProbeResult } from "./probe-job.ts"

/** Requests per second of the ordinary user. */
export const rate = 50
/** Time for an attack to reach full load. */
const attackMs = 3000
/** PostgreSQL requires one. */
const secretKey = "a secret key for the benchmark, long enough"
const body = JSON.stringify({
  model: "bench-reply",
  messages: [{ role: "user", content: "Say in one sentence what a gateway is for." }],
})
const Answers = z.object({ answers: z.number() })

/** 95th percentiles in ms, and the number of failed requests. */
interface Window {
  gateway: number
  control: number
  failed: number
}

/** Latency of one user's requests with and without an attack, for the gateway and the control. */
export interface Row {
  attack: string
  alone: Window
  attacked: Window
  /** Responses that the attacker received. */
  answers: number
  /** MB. */
  rss: number
}

export interface RowOptions {
  /** A PostgreSQL server for attacks on its connections. */
  postgres?: string | undefined
  folder: string
  main: string
  seconds: number
  windows: number
  nodeOptions: readonly string[]
}

export const usesPostgres = (attack: string): boolean => attack.endsWith("PostgreSQL")

const p95 = (times: readonly number[]): number => {
  const sorted = times.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? Number.NaN
}

/** Median of each column over several windows. */
const middle = (all: readonly Window[]): Window => ({
  gateway: median(all.map(({ gateway }) => gateway)),
  control: median(all.map(({ control }) => control)),
  failed: all.reduce((sum, { failed }) => sum + failed, 0),
})

export const ratioOf = ({ alone, attacked }: Row): number => attacked.gateway / alone.gateway

/** The slowdown, corrected by the slowdown of the control. */
export const ownRatioOf = (row: Row): number =>
  ratioOf(row) / Math.max(1, row.attacked.control / row.alone.control)

/** Starts a mock upstream, a bare relay as control, and the probe. */
export const createRows = async (processes: Processes, options: RowOptions) => {
  const { folder, main, seconds, nodeOptions } = options
  const upstream = await processes.startServer("upstream", "proxy/upstream.ts", ["chat-only"])
  const control = await processes.startServer("measured", "proxy/bare-relay.ts", [
    `${upstream.port}`,
  ])
  const probe = processes.startNode("driver", "noisy-neighbor/probe.ts")

  const measureWindows = async (
    targets: ProbeJob["targets"],
    windows = options.windows,
  ): Promise<Window> => {
    const all: Window[] = []
    for (let index = 0; index < windows; index++) {
      const job: ProbeJob = { targets, body, rate, seconds }
      probe.send(job)
      const [own, other] = ProbeResult.parse(await nextMessage(probe))
      if (!own || !other) throw new Error("the probe returned too few results")
      all.push({ gateway: p95(own.times), control: p95(other.times), failed: own.failed })
    }
    return middle(all)
  }

  /** Starts a fresh gateway for each attack, without work left over from earlier ones. */
  const measureOn = async (attack: string, database: string | undefined): Promise<Row> => {
    const own = join(folder, attack.replace(/\W+/g, "-"))
    mkdirSync(own)
    const gateway = await startGateway({
      processes,
      folder: own,
      cacheFolder: join(folder, "compile-cache"),
      upstreamPort: upstream.port,
      main,
      nodeOptions,
      env: {
        FUNCTION_NETWORKS: `${openAddress}/32`,
        ...(database && { DATABASE_URL: database, SECRET_KEY: secretKey }),
      },
    })
    const key = await createUserKey(gateway)
    const attackerKey = await createUserKey(gateway, "attacker")
    await waitForModels({ url: gateway.url, key }, ["bench-reply"])
    const { names } = await prepare(attack, gateway.port, attackerKey)
    const targets = [
      { port: gateway.port, key },
      { port: control.port, key },
    ]
    // Warm-up: the code is compiled during the first seconds.
    await measureWindows(targets, 1)
    const alone = await measureWindows(targets)
    const attacker = processes.startNode("driver", "noisy-neighbor/attacker.ts", [
      ...[attack, `${gateway.port}`, attackerKey],
      ...names,
    ])
    await sleep(attackMs)
    const attacked = await measureWindows(targets)
    const rss = readRss(gateway.pid)
    attacker.send("count")
    const { answers } = Answers.parse(await nextMessage(attacker))
    await processes.stop(attacker)
    await processes.stop(gateway.child)
    return { attack, alone, attacked, answers, rss }
  }

  return async (attack: string): Promise<Row> => {
    if (!usesPostgres(attack)) return measureOn(attack, undefined)
    const database = await createPostgresDatabase(options.postgres ?? "")
    return measureOn(attack, database.url).finally(database.drop)
  }
}
