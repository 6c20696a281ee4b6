import { cpus } from "node:os"
import { type Outcome, passes } from "./measure/line.ts"
import { placing } from "./measure/processes.ts"
import { runBenchmark } from "./measure/run-benchmark.ts"
import { formatMarks, formatTable } from "./measure/table.ts"
import { type Bench, startBench } from "./proxy/bench.ts"
import { measureFormats } from "./proxy/formats.ts"
import { nginxVersion } from "./proxy/nginx.ts"
import { type Options, type RowName, readOptions } from "./proxy/options.ts"
import { measureSlow } from "./proxy/slow-streams.ts"
import { measureStart } from "./proxy/startup.ts"
import { measureThroughput, type Throughput } from "./proxy/throughput.ts"

const small = { promptBytes: 200, connections: 64 }

const throughputs: Record<Exclude<RowName, "formats" | "slow" | "start">, Throughput> = {
  reply: {
    row: "small reply",
    shape: { ...small, model: "bench-reply", stream: false },
    ratioLimit: 4,
  },
  stream: {
    row: "50-chunk stream",
    shape: { ...small, model: "bench-stream", stream: true },
    ratioLimit: 1.5,
  },
  spaced: {
    row: "50 chunks, 1 ms apart",
    shape: { ...small, model: "bench-spaced", stream: true },
  },
  prompt: {
    row: "32 kB prompt",
    shape: { model: "bench-reply", stream: false, promptBytes: 32_000, connections: 64 },
  },
}

const say = (text: string) => process.stderr.write(`${text}\n`)

const measureRow = (bench: Bench, options: Options, row: RowName): Promise<Outcome> => {
  say(`measuring ${row} …`)
  if (row === "start") return measureStart(bench.gatewayNeeds())
  if (row === "formats") {
    return bench.withServers((servers) => measureFormats(bench, { servers, options }))
  }
  if (row === "slow") return bench.withServers((servers) => measureSlow(bench, servers))
  return bench.withServers((servers) =>
    measureThroughput(bench, { servers, options }, throughputs[row]),
  )
}

const measure = async (bench: Bench, options: Options) => {
  if (!nginxVersion) say("nginx is not installed; skipping the comparison.")
  const outcomes: Outcome[] = []
  for (const row of options.rows) outcomes.push(await measureRow(bench, options, row))
  return outcomes
}

const print = (outcomes: readonly Outcome[]) => {
  const marks = outcomes.flatMap((outcome) => outcome.marks)
  console.log(
    `Node ${process.version}, nginx ${nginxVersion ?? "absent"}, ${cpus()[0]?.model}; ${placing}\n`,
  )
  console.log(formatTable(outcomes.flatMap(({ lines }) => lines)))
  console.log(`\n${outcomes.flatMap(({ notes }) => notes).join("\n")}`)
  console.log(`\n${formatMarks(marks)}`)
  return marks.every(passes)
}

await runBenchmark(async (processes, folder) => {
  const options = readOptions(process.argv.slice(2))
  const outcomes = await measure(await startBench(processes, folder, options), options)
  return print(outcomes)
})
