// `npm run bench:first-start`: time until a new installation listens, and the memory of its first
// minute, without load.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { shippedModelFolder } from "../src/knowledge/embedding/built-in/model-descriptions.ts"
import { type GatewayProcess, spawnGateway } from "../test/harness/gateway-process.ts"
import { passes } from "./measure/line.ts"
import { type MemoryUse, readChildren, readCpu, readMemory } from "./measure/process-stats.ts"
import { type Processes, pidOf } from "./measure/processes.ts"
import { runBenchmark } from "./measure/run-benchmark.ts"
import { formatMarks } from "./measure/table.ts"

/** Number of times that each start is timed. */
const repetitions = 3
/** Seconds after the gateway listens at which its memory is read. */
const readAfter = [1, 10, 60]
const listeningLimit = 1000
const rssLimit = 130

/** Whether the data folder and the compile cache were filled before the start. */
const starts = [
  { name: "first start", hasData: false, isCompiled: true },
  { name: "first start, nothing compiled", hasData: false, isCompiled: false },
  { name: "second start", hasData: true, isCompiled: true },
] as const
type Start = (typeof starts)[number]

/** How long it took until the gateway listened. */
interface Times {
  listeningMs: number
  /** CPU time of all threads. */
  cpuMs: number
}

interface Started extends Times {
  gateway: GatewayProcess
  pid: number
}

interface Memory {
  seconds: number
  own: MemoryUse
  children: readonly MemoryUse[]
}

/** Fills the compile cache like `npm run build`. */
const compileServer = (cache: string): void => {
  const load = `import(${JSON.stringify(new URL("../src/run.ts", import.meta.url).href)})`
  execFileSync(process.execPath, ["--eval", load], { env: { NODE_COMPILE_CACHE: cache } })
}

const createLauncher = (processes: Processes, folder: string) => {
  const launch = async (data: string, cache: string): Promise<Started> => {
    const begun = performance.now()
    const gateway = spawnGateway({
      env: { HOST: "127.0.0.1", DATA_DIR: data, NODE_COMPILE_CACHE: cache, MALLOC_ARENA_MAX: "2" },
      inheritStderr: true,
    })
    processes.adopt(gateway.child)
    await gateway.listening
    const listeningMs = performance.now() - begun
    const pid = pidOf(gateway.child)
    return { gateway, pid, listeningMs, cpuMs: readCpu(pid) / 1000 }
  }

  /** Starts a gateway with the default settings in folders of its own. */
  return async ({ hasData, isCompiled }: Start): Promise<Started> => {
    const own = mkdtempSync(join(folder, "start-"))
    const data = join(own, "data")
    const cache = join(own, "compile-cache")
    mkdirSync(data)
    if (isCompiled) compileServer(cache)
    if (hasData) await (await launch(data, cache)).gateway.stop()
    return launch(data, cache)
  }
}
type Launch = ReturnType<typeof createLauncher>

/** The minimum of several starts, because other programs can only make one slower. */
const measureTimes = async (launch: Launch, start: Start): Promise<Times> => {
  const listening: number[] = []
  const cpu: number[] = []
  for (let count = 0; count < repetitions; count++) {
    const { gateway, listeningMs, cpuMs } = await launch(start)
    listening.push(listeningMs)
    cpu.push(cpuMs)
    await gateway.stop()
  }
  return { listeningMs: Math.min(...listening), cpuMs: Math.min(...cpu) }
}

const measureMemory = async (launch: Launch, start: Start): Promise<Memory[]> => {
  const { gateway, pid } = await launch(start)
  const begun = performance.now()
  const memory: Memory[] = []
  for (const seconds of readAfter) {
    await sleep(begun + seconds * 1000 - performance.now())
    memory.push({ seconds, own: readMemory(pid), children: readChildren(pid).map(readMemory) })
  }
  await gateway.stop()
  return memory
}

const formatMemory = ({ seconds, own, children }: Memory): string => {
  const { rss, pss, peakRss } = own
  const childRss = children.reduce((sum, child) => sum + child.rss, 0)
  return [
    `  ${`${seconds}`.padStart(2)} s: RSS ${rss.toFixed(0)} MB, PSS ${pss.toFixed(0)} MB`,
    `peak RSS ${peakRss.toFixed(0)} MB`,
    `${children.length} child processes with ${childRss.toFixed(0)} MB`,
  ].join("; ")
}

await runBenchmark(async (processes, folder) => {
  const launch = createLauncher(processes, folder)
  const times: Times[] = []
  for (const start of starts) times.push(await measureTimes(launch, start))
  const memories = await Promise.all(starts.map((start) => measureMemory(launch, start)))

  const isModelPresent = existsSync(shippedModelFolder)
  console.log(
    `Node ${process.version}; built-in embedding model ${isModelPresent ? "present" : "absent"}\n`,
  )
  const marks = starts.flatMap(({ name }, index) => {
    const { listeningMs = Number.NaN, cpuMs = Number.NaN } = times[index] ?? {}
    const memory = memories[index] ?? []
    console.log(`${name}: listens after ${listeningMs.toFixed(0)} ms (CPU ${cpuMs.toFixed(0)} ms)`)
    for (const reading of memory) console.log(formatMemory(reading))
    const rss = memory.at(-1)?.own.rss ?? Number.NaN
    return [
      { what: `${name}: listening`, value: listeningMs, unit: "ms", limit: listeningLimit },
      { what: `${name}: idle RSS`, value: rss, unit: "MB", limit: rssLimit },
    ]
  })
  console.log(`\n${formatMarks(marks)}`)
  return marks.every(passes)
})
