// `npm run bench:limits`: whether a budget holds, and is used, while gateways are killed.
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { findPostgresBinDir, noSyncArgs, startCluster } from "../test/setup/postgres.ts"
import { runClients } from "./limits/clients.ts"
import { createGateways, type Gateways } from "./limits/gateways.ts"
import { expectedCost, model, prices, startProvider } from "./limits/provider.ts"
import { type Mark, passes } from "./measure/line.ts"
import type { Processes } from "./measure/processes.ts"
import { runBenchmark } from "./measure/run-benchmark.ts"
import { formatMarks } from "./measure/table.ts"

const clients = 200
const requests = 10_000
const admittedRequests = 1000
const maxTokens = 100
const killIntervalMs = 10_000
const budget = admittedRequests * expectedCost(maxTokens)
/** Of the budget, in percent. */
const maxLost = 5

interface Run {
  name: string
  processes: Processes
  folder: string
  gatewayCount: number
  env: Readonly<Record<string, string>>
}

const Limits = z.object({ items: z.array(z.object({ spent: z.number(), reserved: z.number() })) })

const setUp = async (gateways: Gateways): Promise<void> => {
  await gateways.call("PUT", `prices/${model}`, { ...prices, from: 0 })
  await gateways.call("POST", "limits", {
    ...{ target: { type: "everyone" }, metric: "cost", amount: budget, window: "month" },
  })
}

const measure = async ({ name, processes, folder, gatewayCount, env }: Run): Promise<Mark[]> => {
  const provider = await startProvider()
  const gateways = createGateways({ processes, folder, env, upstreamPort: provider.port })
  for (let index = 0; index < gatewayCount; index++) await gateways.start(index)
  await setUp(gateways)

  const ended = new AbortController()
  let kills = 0
  const killGateways = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await sleep(killIntervalMs, undefined, { signal: ended.signal }).catch(() => {})
      if (ended.signal.aborted) return
      await gateways.replace(kills++ % gatewayCount)
    }
  }
  const killing = killGateways()
  const beganAt = performance.now()
  const counts = await runClients({ gateways, clients, requests, maxTokens })
  const seconds = Math.round((performance.now() - beganAt) / 1000)
  ended.abort()
  await killing
  const { items } = Limits.parse(await gateways.call("GET", "limits"))
  const spent = items[0]?.spent ?? Number.NaN
  provider.close()
  await processes.stopAll()

  const percent = (part: number): number => (100 * part) / budget
  const { totals } = provider
  process.stdout.write(
    `${name}: ${counts.admitted} answered, ${counts.rejected} rejected and ${counts.failed} failed of ` +
      `${requests} requests in ${seconds} s, with ${kills} kills. The provider charged ` +
      `${totals.requests} requests, ${percent(totals.cost).toFixed(1)} % of the budget; the limit ` +
      `counts ${percent(spent).toFixed(1)} % as spent.\n`,
  )
  return [
    {
      what: `${name}: overspent`,
      value: Math.max(0, totals.cost - budget),
      unit: "nano-dollars",
      limit: 0,
    },
    {
      what: `${name}: charged, but not counted`,
      value: Math.max(0, totals.cost - spent),
      unit: "nano-dollars",
      limit: 0,
    },
    {
      what: `${name}: not usable`,
      value: percent(budget - totals.cost),
      unit: "%",
      limit: maxLost,
    },
  ]
}

await runBenchmark(async (processes, folder) => {
  const marks: Mark[] = []
  const binDir = findPostgresBinDir()
  if (binDir) {
    const cluster = await startCluster(binDir, { server: noSyncArgs })
    const env = {
      DATABASE_URL: cluster.url,
      SECRET_KEY: "a secret key for the benchmark, long enough",
    }
    const run = { processes, folder: `${folder}/postgresql`, gatewayCount: 3, env }
    marks.push(...(await measure({ name: "PostgreSQL", ...run })))
    await cluster.stop()
  } else process.stderr.write("PostgreSQL was not found; measuring SQLite only.\n")
  const run = { processes, folder: `${folder}/sqlite`, gatewayCount: 1, env: {} }
  marks.push(...(await measure({ name: "SQLite", ...run })))
  console.log(`\n${formatMarks(marks)}`)
  return marks.every(passes)
})
