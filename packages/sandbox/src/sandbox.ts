import { readFile } from "node:fs/promises"
import type { RunSession } from "./run-session.ts"
import { SandboxWorker, type WorkerRunOptions } from "./sandbox-worker.ts"
import { stripUnusedExports } from "./strip-unused-exports.ts"
import type { RunLimits } from "./worker-protocol.ts"

const watchMs = 50
/** Time for the engine to interrupt a run that is past its deadline; then its worker is killed. */
const graceMs = 250
/** Workers are closed after this long without runs. */
const idleMs = 300_000
/** Functions that compute longer than this without a break run in separate workers. */
const slowThresholdMs = 50
const maxSlowNames = 1000
/** Requests have priority over functions, and quick functions over slow ones. */
const niceness = { quick: 10, slow: 19 }

interface Deps {
  /** Number of worker threads for quick functions. */
  workers: number
  /** The script that creates each function's context and defines its tasks; see README.md. */
  environment: URL
  limits: RunLimits
}

export interface SandboxRunOptions extends Omit<WorkerRunOptions, "limits" | "onEnd"> {
  /** The function's id; slow functions are moved to separate workers by it. */
  name: string
  limits?: Partial<RunLimits>
}

const wasmFile = () => readFile(new URL(import.meta.resolve("quickjs-wasi/quickjs.wasm")))

/** Runs functions in worker threads, which are started on first use. */
export interface Sandbox {
  /** Starts a run in its own isolate. */
  open(run: SandboxRunOptions): Promise<RunSession>
  close(): Promise<void>
}

export const createSandbox = ({ workers, environment, limits }: Deps): Sandbox => {
  const quick = new Set<SandboxWorker>()
  const slow = new Set<SandboxWorker>()
  const slowNames = new Set<string>()
  let compiled: Promise<WebAssembly.Module> | undefined
  let lastRun = 0
  let inFlightRuns = 0
  let closed = false
  let watchdog: NodeJS.Timeout | undefined
  let idleTimer: NodeJS.Timeout | undefined

  const compile = (): Promise<WebAssembly.Module> => {
    compiled ??= wasmFile().then((bytes) => WebAssembly.compile(stripUnusedExports(bytes)))
    return compiled
  }

  const startWorker = (wasm: WebAssembly.Module, pool: Set<SandboxWorker>): SandboxWorker => {
    const worker = new SandboxWorker({
      wasm,
      environment,
      memory: limits.memory,
      niceness: pool === quick ? niceness.quick : niceness.slow,
      onExit: (exited) => {
        // A killed worker is replaced immediately, so that the next run does not have to wait.
        if (pool.delete(exited) && !closed && pool === quick) startWorker(wasm, pool)
      },
    })
    pool.add(worker)
    return worker
  }

  const leastBusy = (pool: Set<SandboxWorker>): SandboxWorker | undefined =>
    [...pool].filter((worker) => !worker.isFull).sort((a, b) => a.runCount - b.runCount)[0]

  const workerFor = (wasm: WebAssembly.Module, name: string): SandboxWorker => {
    const pool = slowNames.has(name) ? slow : quick
    while (pool === quick && quick.size < workers) startWorker(wasm, quick)
    return leastBusy(pool) ?? startWorker(wasm, pool)
  }

  const watch = (): void => {
    for (const worker of [...quick, ...slow]) {
      if (worker.busyMs() > limits.cpuMs + graceMs) worker.kill()
    }
  }

  const closeWorkers = async (): Promise<void> => {
    const pool = [...quick, ...slow]
    quick.clear()
    slow.clear()
    await Promise.all(pool.map((worker) => worker.close()))
  }

  const runStarted = (): void => {
    inFlightRuns++
    clearTimeout(idleTimer)
    watchdog ??= setInterval(watch, watchMs).unref()
  }

  const runEnded = (name: string, slowestMs: number): void => {
    inFlightRuns--
    if (slowestMs > slowThresholdMs && slowNames.size < maxSlowNames) slowNames.add(name)
    else slowNames.delete(name)
    if (inFlightRuns > 0) return
    clearInterval(watchdog)
    watchdog = undefined
    idleTimer = setTimeout(() => void closeWorkers(), idleMs).unref()
  }

  return {
    open: async ({ name, limits: overrides, ...run }) => {
      const wasm = await compile()
      if (closed) throw new Error("The sandbox is closed")
      runStarted()
      lastRun = (lastRun % 0x3fffffff) + 1
      return workerFor(wasm, name).start(lastRun, {
        ...run,
        limits: { ...limits, ...overrides },
        onEnd: (slowestMs) => runEnded(name, slowestMs),
      })
    },

    close: async () => {
      closed = true
      clearInterval(watchdog)
      clearTimeout(idleTimer)
      await closeWorkers()
    },
  }
}
