import { readFile } from "node:fs/promises"
import type { Limits } from "./protocol.ts"
import { type Begin, Lane } from "./sandbox-worker.ts"
import type { Session } from "./session.ts"
import { leanBinary } from "./wasm-binary.ts"

const watchMs = 50
/**
 * Past its deadline a run is interrupted by the engine; after this grace period its worker is
 * killed.
 */
const graceMs = 250
/** Workers are closed after this long without runs. */
const idleMs = 300_000
/** Functions that compute longer than this without a break run in separate workers. */
const slowMs = 50
const maxSlowNames = 1000
/** Requests have priority over functions, and quick functions over slow ones. */
const niceness = { quick: 10, slow: 19 }

interface Deps {
  workers: number
  limits: Limits
}

export interface Opening extends Omit<Begin, "limits" | "onEnd"> {
  /** The function's id; slow functions are moved to separate workers by it. */
  name: string
  limits?: Partial<Limits>
}

const wasmFile = () => readFile(new URL(import.meta.resolve("quickjs-wasi/quickjs.wasm")))

/** Runs functions in worker threads, which are started on first use. */
export const createWall = ({ workers, limits }: Deps) => {
  const quick = new Set<Lane>()
  const slow = new Set<Lane>()
  const slowNames = new Set<string>()
  let compiled: Promise<WebAssembly.Module> | undefined
  let lastRun = 0
  let running = 0
  let closed = false
  let watching: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined

  const compile = (): Promise<WebAssembly.Module> => {
    compiled ??= wasmFile().then((bytes) => WebAssembly.compile(leanBinary(bytes)))
    return compiled
  }

  const start = (wasm: WebAssembly.Module, lanes: Set<Lane>): Lane => {
    const lane = new Lane({
      wasm,
      memory: limits.memory,
      niceness: lanes === quick ? niceness.quick : niceness.slow,
      gone: (lost) => {
        // A killed worker is replaced immediately, so that the next run does not have to wait.
        if (lanes.delete(lost) && !closed && lanes === quick) start(wasm, lanes)
      },
    })
    lanes.add(lane)
    return lane
  }

  const leastBusy = (lanes: Set<Lane>): Lane | undefined =>
    [...lanes].filter((lane) => !lane.full).sort((a, b) => a.size - b.size)[0]

  const laneFor = (wasm: WebAssembly.Module, name: string): Lane => {
    const lanes = slowNames.has(name) ? slow : quick
    while (lanes === quick && quick.size < workers) start(wasm, quick)
    return leastBusy(lanes) ?? start(wasm, lanes)
  }

  const watch = (): void => {
    for (const lane of [...quick, ...slow]) {
      if (lane.busyMs() > limits.cpuMs + graceMs) lane.kill()
    }
  }

  const closeLanes = async (): Promise<void> => {
    const lanes = [...quick, ...slow]
    quick.clear()
    slow.clear()
    await Promise.all(lanes.map((lane) => lane.close()))
  }

  const entered = (): void => {
    running++
    clearTimeout(idle)
    watching ??= setInterval(watch, watchMs).unref()
  }

  const left = (name: string, slowestMs: number): void => {
    running--
    if (slowestMs > slowMs && slowNames.size < maxSlowNames) slowNames.add(name)
    else slowNames.delete(name)
    if (running > 0) return
    clearInterval(watching)
    watching = undefined
    idle = setTimeout(() => void closeLanes(), idleMs).unref()
  }

  return {
    limits,

    /** Starts the workers ahead of the first run. */
    warm: async (): Promise<void> => {
      const wasm = await compile()
      if (!closed) laneFor(wasm, "")
    },

    /** Starts a run in its own isolate. */
    open: async ({ name, limits: own, ...begin }: Opening): Promise<Session> => {
      const wasm = await compile()
      if (closed) throw new Error("The sandbox is closed")
      entered()
      lastRun = (lastRun % 0x3fffffff) + 1
      return laneFor(wasm, name).begin(lastRun, {
        ...begin,
        limits: { ...limits, ...own },
        onEnd: (slowestMs) => left(name, slowestMs),
      })
    },

    running: (): number => running,

    close: async (): Promise<void> => {
      closed = true
      clearInterval(watching)
      clearTimeout(idle)
      await closeLanes()
    },
  }
}

export type Wall = ReturnType<typeof createWall>
