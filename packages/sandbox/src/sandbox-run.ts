import { CpuBudget } from "./cpu-budget.ts"
import type { Host, ReadString } from "./engine-host.ts"
import type { Isolate, IsolateDeps } from "./isolate.ts"
import type { MessageBatch } from "./message-batch.ts"
import { moduleErrorJson } from "./module-error.ts"
import { createRunLog, parseLogMessage } from "./run-log.ts"
import { statelessOperations } from "./stateless-operations.ts"
import { createTimers } from "./timers.ts"
import {
  type EndReason,
  type RunLimits,
  sharedClockMs,
  type WorkerCommand,
  type WorkerEvent,
} from "./worker-protocol.ts"

const maxCalls = 64
const maxMessage = 16 * 1024 * 1024
const maxLogMessage = 64 * 1024
/** Milliseconds after which a run that produces output continuously yields to the other runs. */
const sliceMs = 8
/** Maximum size of output not yet consumed. */
const maxUnreadBytes = 256 * 1024

export interface RunDeps extends IsolateDeps {
  clock: Int32Array
  flags: Int32Array
  outbox: MessageBatch<WorkerEvent>
}

type StartCommand = Extract<WorkerCommand, { type: "begin" }>
type StopRequest = { ending: EndReason; why: string | null }

/**
 * One run in its own isolate. Only JSON text is exchanged, and its length is checked before it is
 * read. The isolate is returned when the run ends for any reason.
 */
export class SandboxRun implements Host {
  readonly #deps: RunDeps
  readonly #run: number
  readonly #slot: number
  readonly #limits: RunLimits
  readonly #onEnd: (isolate: Isolate) => void
  readonly #startedAt = performance.now()
  readonly #log = createRunLog(() => performance.now() - this.#startedAt)
  /** Tasks in progress. */
  readonly #open = new Set<number>()
  /** Tasks received while the module is loading. */
  #queuedTasks: { id: number; json: string }[] = []
  readonly #timers = createTimers((id) =>
    this.#enter((isolate) => isolate.callEntry("ring", String(id))),
  )
  readonly #timeout: NodeJS.Timeout
  #isolate: Isolate | null
  #stop: StopRequest | null = null
  #sliceAt = 0
  readonly #cpuBudget = new CpuBudget()
  #cpuMs = 0
  #sinceOutputMs = 0
  #slowestMs = 0
  #out: string[] = []
  #pieces = 0
  #bytes = 0
  #unreadBytes = 0
  #paused = false
  #calls = 0

  /** Starts loading the module; `done` with id 0 reports the result. */
  constructor(
    deps: RunDeps,
    isolate: Isolate,
    { begin, onEnd }: { begin: StartCommand; onEnd: (isolate: Isolate) => void },
  ) {
    const { run, slot, limits, code, json } = begin
    this.#deps = deps
    this.#isolate = isolate
    this.#run = run
    this.#slot = slot
    this.#limits = limits
    this.#onEnd = onEnd
    const tooLong = `Timed out after ${limits.wallMs / 1000} seconds`
    this.#timeout = setTimeout(() => this.#end("timeout", tooLong), limits.wallMs)
    isolate.attach(this)
    this.#open.add(0)
    this.#enter((loadingIsolate) => {
      try {
        loadingIsolate.load(code, json)
      } catch (error) {
        if (this.#stop) return
        this.#failAllTasks(moduleErrorJson(error))
      }
    })
  }

  invoke(id: number, json: string): void {
    if (this.#open.has(0)) return void this.#queuedTasks.push({ id, json })
    this.#open.add(id)
    this.#enter((isolate) => isolate.callEntry("invoke", json))
  }

  settle(json: string): void {
    this.#calls--
    this.#enter((isolate) => isolate.callEntry("settle", json))
  }

  /** Resumes a run that waits for its output to be consumed. */
  resumeOutput(): void {
    this.#unreadBytes = 0
    this.#continue()
  }

  end(why: "finished" | "cancelled"): void {
    this.#end(why, null)
  }

  interrupted(): boolean {
    if (this.#stop) return true
    const { flags, outbox } = this.#deps
    const now = performance.now()
    if (this.#out.length > 0 && now - this.#sliceAt > sliceMs) this.#sendOutput()
    outbox.flushIfDue(now)
    if (Atomics.load(flags, this.#slot) === this.#run) {
      this.#stop = { ending: "cancelled", why: null }
    } else if (this.#cpuBudget.isExhausted(() => this.#markTime())) {
      const why = `Used more than ${this.#limits.cpuMs} ms of CPU time without output`
      this.#stop = { ending: "timeout", why }
    }
    return this.#stop !== null
  }

  /** Tells the watchdog that the run still responds to interrupts. */
  #markTime(): void {
    Atomics.store(this.#deps.clock, 0, sharedClockMs())
  }

  operate(name: string, read: ReadString): string | undefined {
    const compute = Object.hasOwn(statelessOperations, name) ? statelessOperations[name] : undefined
    if (compute) return compute(read(maxMessage))
    switch (name) {
      case "out":
        return this.#queueOutput(read(this.#limits.outputBytes))
      case "log":
        return this.#log.write(parseLogMessage(read(maxLogMessage))) ? undefined : "full"
      case "call":
        return this.#sendCall(read(maxMessage))
      case "timer":
        return this.#timers.set(read(200))
      case "done":
        return this.#finishTask(read(maxMessage))
      case "fault":
        return this.#failAllTasks(read(maxMessage))
      default:
        throw "Unknown host operation"
    }
  }

  /** The only place where the function's code runs: it is timed here and can be stopped. */
  #enter(work: (isolate: Isolate) => void): void {
    const isolate = this.#isolate
    if (!isolate || this.#stop) return
    const { clock, outbox } = this.#deps
    this.#sliceAt = performance.now()
    outbox.flushIfDue(this.#sliceAt)
    this.#cpuBudget.restart(this.#limits.cpuMs - this.#sinceOutputMs)
    Atomics.store(clock, 1, this.#run)
    this.#markTime()
    let engineError: unknown
    try {
      work(isolate)
      isolate.runJobs()
    } catch (error) {
      engineError = error ?? "unknown"
    }
    Atomics.store(clock, 0, 0)
    this.#count(performance.now() - this.#sliceAt, this.#cpuBudget.usedMs())
    this.#sendOutput()
    this.#checkState(engineError)
    this.#startQueuedTasks()
  }

  #startQueuedTasks(): void {
    if (this.#open.has(0)) return
    const queuedTasks = this.#queuedTasks
    this.#queuedTasks = []
    for (const { id, json } of queuedTasks) this.invoke(id, json)
  }

  #count(ms: number, sinceAllowed: number): void {
    this.#cpuMs += ms
    this.#sinceOutputMs += sinceAllowed
    this.#slowestMs = Math.max(this.#slowestMs, ms)
  }

  /** Decides whether the run can continue after a slice. */
  #checkState(engineError: unknown): void {
    // May be set while the code ran, which the type checker cannot see.
    const stop: StopRequest | null = this.#stop
    if (stop) this.#end(stop.ending, stop.why)
    else if (engineError !== undefined) this.#handleEngineError(engineError)
    else if (this.#open.size > 0 && !this.#isWaitingForHost()) {
      this.#end("timeout", "Deadlock: the function awaits a promise that can never settle")
    }
  }

  #isWaitingForHost(): boolean {
    return this.#calls > 0 || this.#timers.size() > 0 || this.#paused
  }

  #handleEngineError(error: unknown): void {
    if (error instanceof RangeError || (error instanceof Error && /stack/i.test(error.message))) {
      this.#end("threw", "Stack overflow")
    } else {
      const max = Math.round(this.#deps.memoryLimit / 1e6)
      this.#end("out_of_memory", `Out of memory (maximum ${max} MB)`)
    }
  }

  /** @returns a string if the function has to wait before it emits more */
  #queueOutput(json: string): string | undefined {
    const { pieces, outputBytes, cpuMs } = this.#limits
    this.#pieces++
    this.#bytes += json.length
    if (this.#pieces > pieces || this.#bytes > outputBytes) {
      const why = `The response exceeds ${pieces} pieces or ${outputBytes / 1e6} MB`
      this.#stop = { ending: "denied", why }
      return "stop"
    }
    this.#out.push(json)
    this.#unreadBytes += json.length + 16
    this.#sinceOutputMs = 0
    this.#cpuBudget.restart(cpuMs)
    const tooMuch = this.#unreadBytes > maxUnreadBytes
    if (performance.now() - this.#sliceAt <= sliceMs && !tooMuch) return undefined
    this.#paused = true
    if (!tooMuch) setImmediate(() => this.#continue())
    return "wait"
  }

  #continue(): void {
    if (!this.#paused || this.#unreadBytes > maxUnreadBytes) return
    this.#paused = false
    this.#deps.outbox.flush()
    this.#enter((isolate) => isolate.callEntry("settle", '{"id":0}'))
  }

  /** @returns the reason if the call is rejected */
  #sendCall(json: string): string | undefined {
    if (this.#calls >= maxCalls) return `Too many concurrent host calls (maximum ${maxCalls})`
    this.#calls++
    this.#deps.outbox.post({ type: "call", run: this.#run, json })
    return undefined
  }

  /** @param message a task's id and its result as JSON, separated by a space */
  #finishTask(message: string): undefined {
    const space = message.indexOf(" ")
    const id = Number(message.slice(0, space))
    if (!this.#open.delete(id)) return
    this.#sendOutput()
    const json = message.slice(space + 1)
    this.#deps.outbox.post({ type: "done", run: this.#run, id, json })
  }

  /** An exception that nothing can catch, such as one in a timer, fails all tasks in progress. */
  #failAllTasks(json: string): undefined {
    for (const id of [...this.#open]) this.#finishTask(`${id} ${json}`)
  }

  #sendOutput(): void {
    const run = this.#run
    const lines = this.#log.take()
    if (lines.length > 0) this.#deps.outbox.post({ type: "log", run, lines })
    if (this.#out.length === 0) return
    this.#deps.outbox.postDelayed({ type: "out", run, pieces: this.#out })
    this.#out = []
  }

  #end(ending: EndReason, message: string | null): void {
    const isolate = this.#isolate
    if (!isolate) return
    this.#isolate = null
    this.#stop ??= { ending, why: message }
    clearTimeout(this.#timeout)
    this.#timers.clear()
    this.#log.close()
    this.#sendOutput()
    this.#deps.outbox.post({
      type: "over",
      run: this.#run,
      ending,
      message,
      cpuMs: this.#cpuMs,
      slowestMs: this.#slowestMs,
      memoryBytes: isolate.memoryBytes,
    })
    this.#onEnd(isolate)
  }
}
