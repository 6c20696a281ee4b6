import { readCpu, readMachineCpu } from "../measure/process-stats.ts"
import type { Exchange } from "./connection.ts"
import { Job, type Result } from "./job.ts"
import { startLoad } from "./load.ts"

/** Warm-up before the measurement, in seconds: opens connections and compiles code. */
const settleSeconds = 0.5
const drainSeconds = 10

const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

const quantile = (sorted: Float64Array, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

const timesOf = (exchanges: readonly Exchange[], time: (exchange: Exchange) => number) =>
  Float64Array.from(exchanges, time).sort()

const ownCpu = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

const readAll = ({ pid, upstreamPid }: Job) => ({
  at: performance.now() * 1000,
  measured: readCpu(pid),
  load: ownCpu() + readCpu(upstreamPid),
  machine: readMachineCpu(),
})

/** Measures CPU time until the returned function is called, in µs. */
const cpuSampler = (job: Job) => {
  const before = readAll(job)
  return () => {
    const after = readAll(job)
    const measured = after.measured - before.measured
    const load = after.load - before.load
    const others = after.machine - before.machine - measured - load
    return { span: after.at - before.at, measured, load, others }
  }
}

const run = async (job: Job): Promise<Result> => {
  const load = startLoad(job)
  if (job.mode !== "once") await sleep(settleSeconds)
  load.record()
  const read = cpuSampler(job)
  if (job.mode === "once") await load.idle(job.seconds)
  else await sleep(job.seconds)
  const used = read()
  const { whole, failed, missing } = load.recorded()
  load.stop()
  await load.idle(drainSeconds)
  load.close()

  const times = timesOf(whole, ({ sent, end }) => end - sent)
  const firsts = timesOf(whole, ({ sent, first }) => first - sent)
  return {
    requests: whole.length,
    failed: failed + (job.mode === "once" ? missing : 0),
    rate: (whole.length / used.span) * 1e6,
    cpu: used.measured / whole.length,
    busy: used.measured / used.span,
    loadBusy: used.load / used.span,
    otherBusy: used.others / used.span,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    firstP50: quantile(firsts, 0.5),
    firstP99: quantile(firsts, 0.99),
    reads: whole.reduce((sum, { reads }) => sum + reads, 0) / whole.length,
  }
}

process.on("message", (message) => {
  run(Job.parse(message)).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on("disconnect", () => process.exit(0))
