import { getCompileCacheDir } from "node:module"
import { Worker } from "node:worker_threads"
import { createOutbox } from "./message-batch.ts"
import {
  type Asked,
  clockOf,
  flagsOf,
  type Limits,
  sharedBytes,
  slots,
  type Told,
  threadTime,
  type WorkerData,
} from "./protocol.ts"
import { type Hears, Session, trouble } from "./session.ts"
import { computedBy } from "./thread-cpu.ts"

interface Deps {
  wasm: WebAssembly.Module
  memory: number
  niceness: number
  /** Called when the worker has exited, expectedly or not. */
  gone: (lane: Lane) => void
}

export interface Begin {
  code: string
  /** The data for the function's `context`, as JSON. */
  json: string
  limits: Limits
  hears: Hears
  onEnd: (slowestMs: number) => void
}

const stackMb = 8
const heapMb = 256
/** A worker that gets less than 1/20 of a core is treated like one that hangs. */
const minShare = 20
const lostWords = "Stopped because another function in the same worker had to be terminated"

/** One worker thread and its runs. */
export class Lane {
  readonly #worker: Worker
  readonly #sessionByRun = new Map<number, Session>()
  readonly #shared = new SharedArrayBuffer(sharedBytes)
  readonly #clock = clockOf(this.#shared)
  readonly #flags = flagsOf(this.#shared)
  readonly #freeSlots = Array.from({ length: slots }, (_, slot) => slot)
  readonly #messageBatch = createOutbox<Asked>((all) => this.#worker.postMessage(all))
  /** The thread's CPU time when the current piece of work was first observed. */
  #observed: { since: number; computed: number | null } = { since: 0, computed: null }
  #closed = false

  constructor({ wasm, memory, niceness, gone }: Deps) {
    const workerData: WorkerData = { wasm, memory, niceness, shared: this.#shared }
    this.#worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData,
      // An empty environment, although functions have no access to it. With the compile cache the
      // TypeScript compiler is not loaded, which saves 10 MB.
      env: { NODE_COMPILE_CACHE: getCompileCacheDir() ?? "" },
      resourceLimits: { stackSizeMb: stackMb, maxOldGenerationSizeMb: heapMb },
    })
    this.#worker.unref()
    this.#worker.on("message", (all: Told[]) => {
      for (const told of all) this.#sessionByRun.get(told.run)?.hear(told)
    })
    this.#worker.on("error", () => {})
    this.#worker.once("exit", () => {
      this.#failRuns("out_of_memory", "The worker ran out of memory")
      gone(this)
    })
  }

  get size(): number {
    return this.#sessionByRun.size
  }

  get full(): boolean {
    return this.#freeSlots.length === 0 || this.#closed
  }

  begin(run: number, { code, json, limits, hears, onEnd }: Begin): Session {
    const slot = this.#freeSlots.pop() ?? -1
    const post = this.#messageBatch.put
    const session = new Session({
      run,
      hears,
      post,
      raise: () => void Atomics.store(this.#flags, slot, run),
      onEnd: (slowestMs) => {
        this.#sessionByRun.delete(run)
        this.#freeSlots.push(slot)
        onEnd(slowestMs)
      },
    })
    this.#sessionByRun.set(run, session)
    post({ type: "begin", run, slot, code, json, limits })
    return session
  }

  /**
   * Milliseconds for which the worker has been running a function's code without a break, as far as
   * observed. Counts CPU time, so that time spent waiting for a core hardly counts.
   */
  busyMs(): number {
    const since = Atomics.load(this.#clock, 0)
    if (since === 0) return 0
    const computed = computedBy(Atomics.load(this.#clock, 2))
    if (since !== this.#observed.since) this.#observed = { since, computed }
    const passed = threadTime() - since
    if (computed === null || this.#observed.computed === null) return passed
    return Math.max(computed - this.#observed.computed, passed / minShare)
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
    const culprit = Atomics.load(this.#clock, 0) === 0 ? 0 : Atomics.load(this.#clock, 1)
    for (const [run, session] of [...this.#sessionByRun]) {
      session.lost(run === culprit ? trouble(outcome, message) : trouble("worker_lost", lostWords))
    }
  }
}
