import { setTimeout as sleep } from "node:timers/promises"
import { type GatewayDeps, startGateway } from "../measure/gateway.ts"
import type { Outcome } from "../measure/line.ts"
import { median } from "../measure/median.ts"
import { readRss } from "../measure/process-stats.ts"

const starts = 5
const settleSeconds = 5
const listeningLimit = 700
const rssLimit = 120

/** Starts the gateway repeatedly on an existing data folder, without load. */
export const measureStart = async (deps: GatewayDeps): Promise<Outcome> => {
  const first = await startGateway(deps)
  await deps.processes.stop(first.child)

  const listening: number[] = []
  const health: number[] = []
  let rss = Number.NaN
  for (let count = 1; count <= starts; count++) {
    const gateway = await startGateway(deps)
    listening.push(gateway.listeningMs)
    health.push(gateway.healthMs)
    await sleep(count === starts ? settleSeconds * 1000 : 500)
    rss = readRss(gateway.pid)
    await deps.processes.stop(gateway.child)
  }
  const p50 = median(listening)
  return {
    lines: [
      {
        row: "start",
        server: "gateway",
        p50,
        p99: Math.max(...listening),
        first: median(health),
        rss,
      },
    ],
    marks: [
      { what: "start: listening", value: p50, unit: "ms", limit: listeningLimit },
      { what: "start: idle RSS", value: rss, unit: "MB", limit: rssLimit },
    ],
    notes: [
      `start: the first one, with an empty data folder, took ${first.listeningMs.toFixed(0)} ms`,
    ],
  }
}
