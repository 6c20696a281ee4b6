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
  /** Told when the worker has ended, expected or not. */
  gone: (lane: Lane) => void
}

export interface Begin {
  code: string
  /** What the context holds, as JSON. */
  json: string
  limits: Limits
  hears: Hears
  left: (slowestMs: number) => void
}

const stackMb = 8
const heapMb = 256
/** Who gets less of a core than one part in so many is not told from who hangs. */
const minShare = 20
const lostWords = "Another function had to be stopped by force beside it"

/** One worker thread and the runs in it. */
export class Lane {
  readonly #worker: Worker
  readonly #sessionByRun = new Map<number, Session>()
  readonly #shared = new SharedArrayBuffer(sharedBytes)
  readonly #clock = clockOf(this.#shared)
  readonly #flags = flagsOf(this.#shared)
  readonly #freeSlots = Array.from({ length: slots }, (_, slot) => slot)
  readonly #outbox = createOutbox<Asked>((all) => this.#worker.postMessage(all))
  /** What it had computed when it was first seen in this piece of work. */
  #seen: { since: number; computed: number | null } = { since: 0, computed: null }
  #closed = false

  constructor({ wasm, memory, niceness, gone }: Deps) {
    const workerData: WorkerData = { wasm, memory, niceness, shared: this.#shared }
    this.#worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData,
      // Nothing of ours is in reach, though the guest has no way to look for it. With the cache no
      // compiler of TypeScript is loaded, which takes 10 MB.
      env: { NODE_COMPILE_CACHE: getCompileCacheDir() ?? "" },
      resourceLimits: { stackSizeMb: stackMb, maxOldGenerationSizeMb: heapMb },
    })
    this.#worker.unref()
    this.#worker.on("message", (all: Told[]) => {
      for (const told of all) this.#sessionByRun.get(told.run)?.hear(told)
    })
    this.#worker.on("error", () => {})
    this.#worker.once("exit", () => {
      this.#lose("out_of_memory", "It needs more memory than a worker has")
      gone(this)
    })
  }

  get size(): number {
    return this.#sessionByRun.size
  }

  get full(): boolean {
    return this.#freeSlots.length === 0 || this.#closed
  }

  begin(run: number, { code, json, limits, hears, left }: Begin): Session {
    const slot = this.#freeSlots.pop() ?? -1
    const post = this.#outbox.put
    const session = new Session({
      run,
      hears,
      post,
      raise: () => void Atomics.store(this.#flags, slot, run),
      left: (slowestMs) => {
        this.#sessionByRun.delete(run)
        this.#freeSlots.push(slot)
        left(slowestMs)
      },
    })
    this.#sessionByRun.set(run, session)
    post({ type: "begin", run, slot, code, json, limits })
    return session
  }

  /**
   * Milliseconds for which the worker has computed in the guest's code without a break, as far as
   * has been looked. Those for which others keep it from a core count little: that is not its fault.
   */
  busyMs(): number {
    const since = Atomics.load(this.#clock, 0)
    if (since === 0) return 0
    const computed = computedBy(Atomics.load(this.#clock, 2))
    if (since !== this.#seen.since) this.#seen = { since, computed }
    const passed = threadTime() - since
    if (computed === null || this.#seen.computed === null) return passed
    return Math.max(computed - this.#seen.computed, passed / minShare)
  }

  /** Ends the worker in the middle of whatever it does. */
  kill(): void {
    this.#closed = true
    this.#lose("timeout", "It computed without end and could not be interrupted")
    void this.#worker.terminate()
  }

  close(): Promise<number> {
    this.#closed = true
    return this.#worker.terminate()
  }

  /** The run that was computing is at fault; the others were only beside it. */
  #lose(outcome: "timeout" | "out_of_memory", message: string): void {
    const culprit = Atomics.load(this.#clock, 0) === 0 ? 0 : Atomics.load(this.#clock, 1)
    for (const [run, session] of [...this.#sessionByRun]) {
      session.lost(run === culprit ? trouble(outcome, message) : trouble("worker_lost", lostWords))
    }
  }
}
