import { getCompileCacheDir } from "node:module"
import { Worker } from "node:worker_threads"
import { functionError } from "./function-error.ts"
import { createMessageBatch } from "./message-batch.ts"
import { type RunListener, RunSession } from "./run-session.ts"
import { threadCpuMs } from "./thread-cpu.ts"
import {
  cancelFlagsView,
  clockView,
  maxRunsPerWorker,
  type RunLimits,
  sharedBytes,
  sharedClockMs,
  type WorkerCommand,
  type WorkerData,
  type WorkerEvent,
} from "./worker-protocol.ts"

interface Deps {
  wasm: WebAssembly.Module
  environment: URL
  memory: number
  niceness: number
  /** Called when the worker has exited, expectedly or not. */
  onExit: (worker: SandboxWorker) => void
}

export interface WorkerRunOptions {
  code: string
  /** The data that `createContext` of the environment gets, as JSON. */
  json: string
  limits: RunLimits
  listener: RunListener
  onEnd: (slowestMs: number) => void
}

const stackMb = 8
const heapMb = 256
/** A worker that gets less than 1/20 of a core is treated like one that hangs. */
const minCoreShare = 20
const workerLostMessage = "Stopped because another function in the same worker had to be terminated"

/** One worker thread and its runs. */
export class SandboxWorker {
  readonly #worker: Worker
  readonly #sessionByRun = new Map<number, RunSession>()
  readonly #shared = new SharedArrayBuffer(sharedBytes)
  readonly #clock = clockView(this.#shared)
  readonly #flags = cancelFlagsView(this.#shared)
  readonly #freeSlots = Array.from({ length: maxRunsPerWorker }, (_, slot) => slot)
  readonly #messageBatch = createMessageBatch<WorkerCommand>((messages) =>
    this.#worker.postMessage(messages),
  )
  /** The thread's CPU time when the current piece of work was first observed. */
  #observed: { since: number; cpuMs: number | null } = { since: 0, cpuMs: null }
  #closed = false

  constructor({ wasm, environment, memory, niceness, onExit }: Deps) {
    const shared = this.#shared
    const data: WorkerData = { wasm, memory, niceness, shared, environment: environment.href }
    this.#worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData: data,
      // An empty environment, although functions have no access to it. With the compile cache the
      // TypeScript compiler is not loaded, which saves 10 MB.
      env: { NODE_COMPILE_CACHE: getCompileCacheDir() ?? "" },
      resourceLimits: { stackSizeMb: stackMb, maxOldGenerationSizeMb: heapMb },
    })
    this.#worker.unref()
    this.#worker.on("message", (messages: WorkerEvent[]) => {
      for (const event of messages) this.#sessionByRun.get(event.run)?.handleEvent(event)
    })
    this.#worker.on("error", () => {})
    this.#worker.once("exit", () => {
      this.#failRuns("out_of_memory", "The worker ran out of memory")
      onExit(this)
    })
  }

  get runCount(): number {
    return this.#sessionByRun.size
  }

  get isFull(): boolean {
    return this.#freeSlots.length === 0 || this.#closed
  }

  start(run: number, { code, json, limits, listener, onEnd }: WorkerRunOptions): RunSession {
    const slot = this.#freeSlots.pop() ?? -1
    const post = this.#messageBatch.post
    const session = new RunSession({
      run,
      listener,
      send: post,
      raiseCancelFlag: () => void Atomics.store(this.#flags, slot, run),
      onEnd: (slowestMs) => {
        this.#sessionByRun.delete(run)
        this.#freeSlots.push(slot)
        onEnd(slowestMs)
      },
    })
    this.#sessionByRun.set(run, session)
    post({ type: "start", run, slot, code, json, limits })
    return session
  }

  /**
   * Milliseconds for which the worker has been running a function's code without a break, as far as
   * observed. Counts CPU time, so that time spent waiting for a core hardly counts.
   */
  busyMs(): number {
    const since = Atomics.load(this.#clock, 0)
    if (since === 0) return 0
    const cpuMs = threadCpuMs(Atomics.load(this.#clock, 2))
    if (since !== this.#observed.since) this.#observed = { since, cpuMs }
    const elapsedMs = sharedClockMs() - since
    if (cpuMs === null || this.#observed.cpuMs === null) return elapsedMs
    return Math.max(cpuMs - this.#observed.cpuMs, elapsedMs / minCoreShare)
  }

  /** Terminates the worker immediately. */
  kill(): void {
    this.#closed = true
    this.#failRuns("timeout", "Did not respond to interrupts and was terminated")
    void this.#worker.terminate()
  }

  close(): Promise<number> {
    this.#closed = true
    return this.#worker.terminate()
  }

  /** Blames the run whose code was executing; the others merely shared its worker. */
  #failRuns(outcome: "timeout" | "out_of_memory", message: string): void {
    const blamedRun = Atomics.load(this.#clock, 0) === 0 ? 0 : Atomics.load(this.#clock, 1)
    for (const [run, session] of [...this.#sessionByRun]) {
      session.workerLost(
        run === blamedRun
          ? functionError(outcome, message)
          : functionError("worker_lost", workerLostMessage),
      )
    }
  }
}
