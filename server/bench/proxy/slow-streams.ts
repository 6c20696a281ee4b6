import { setTimeout as sleep } from "node:timers/promises"
import type { Line, Outcome } from "../measure/line.ts"
import { readRss } from "../measure/process-stats.ts"
import { type Bench, type Server, slowModel } from "./bench.ts"

const streams = 1000
const rssLimit = 250
const timeoutSeconds = 60

const shape = { model: slowModel, stream: true, promptBytes: 200, connections: streams }

const withPeak = async <T>(pid: number, work: Promise<T>) => {
  let peak = readRss(pid)
  let isDone = false
  const ended = work.finally(() => {
    isDone = true
  })
  const watch = async () => {
    while (!isDone) {
      peak = Math.max(peak, readRss(pid))
      await sleep(200)
    }
  }
  const [result] = await Promise.all([ended, watch()])
  return { result, peak }
}

/** Measures the memory of 1,000 concurrent streams of one chunk per second. */
export const measureSlow = async (bench: Bench, servers: readonly Server[]): Promise<Outcome> => {
  const outcome: Outcome = { lines: [], marks: [], notes: [] }
  for (const server of servers) {
    const how = { mode: "once", rate: streams, seconds: timeoutSeconds } as const
    const { result, peak } = await withPeak(server.pid, bench.load(server, shape, how))
    const { p50, p99, firstP50: first, cpu, failed } = result
    const line: Line = {
      row: "1,000 slow streams",
      server: server.name,
      cpu,
      p50,
      p99,
      first,
      rss: peak,
    }
    outcome.lines.push(line)
    if (server.name !== "gateway") continue
    outcome.marks.push(
      { what: "slow streams: incomplete", value: failed, unit: "", limit: 0 },
      { what: "slow streams: RSS", value: peak, unit: "MB", limit: rssLimit },
    )
  }
  return outcome
}
