import { CpuBudget } from "./cpu-budget.ts"
import type { EngineHost, ReadString } from "./engine-host.ts"
import type { Isolate, IsolateDeps } from "./isolate.ts"
import { parseLogMessage, serializeModuleError } from "./isolate-messages.ts"
import type { MessageBatch } from "./message-batch.ts"
import { RunLog } from "./run-log.ts"
import { SandboxTimers } from "./timers.ts"
import { webApiOperations } from "./web-api-operations.ts"
import {
  type EndReason,
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

export type StartCommand = Extract<WorkerCommand, { type: "start" }>
type StopRequest = { reason: EndReason; message: string | null }

/**
 * One run in its own isolate. Only JSON text is exchanged, and its length is checked before it is
 * read. The isolate is returned when the run ends for any reason.
 */
export class SandboxRun implements EngineHost {
  readonly #deps: RunDeps
  readonly #command: StartCommand
  readonly #onEnd: (isolate: Isolate) => void
  readonly #startedAt = performance.now()
  readonly #log = new RunLog(() => performance.now() - this.#startedAt)
  /** Tasks in progress. */
  readonly #openTasks = new Set<number>()
  /** Tasks received while the module is loading. */
  #queuedTasks: { id: number; json: string }[] = []
  readonly #timers = new SandboxTimers((id) =>
    this.#enter((isolate) => isolate.callEntry("fireTimer", String(id))),
  )
  readonly #timeout: NodeJS.Timeout
  #isolate: Isolate | null
  #stop: StopRequest | null = null
  #sliceAt = 0
  readonly #cpuBudget = new CpuBudget()
  #cpuMs = 0
  #sinceOutputMs = 0
  #slowestMs = 0
  #output: string[] = []
  #outputPieces = 0
  #outputBytes = 0
  #unreadBytes = 0
  #isOutputPaused = false
  #pendingCalls = 0

  /** Starts loading the module; `taskDone` with id 0 reports the result. */
  constructor(
    deps: RunDeps,
    isolate: Isolate,
    { command, onEnd }: { command: StartCommand; onEnd: (isolate: Isolate) => void },
  ) {
    const { limits, code, json } = command
    this.#deps = deps
    this.#isolate = isolate
    this.#command = command
    this.#onEnd = onEnd
    const message = `Timed out after ${limits.wallMs / 1000} seconds`
    this.#timeout = setTimeout(() => this.end("timeout", message), limits.wallMs)
    isolate.host = this
    this.#openTasks.add(0)
    this.#enter((loadingIsolate) => {
      try {
        loadingIsolate.load(code, json)
      } catch (error) {
        if (this.#stop) return
        this.#failAllTasks(serializeModuleError(error))
      }
    })
  }

  invoke(id: number, json: string): void {
    if (this.#openTasks.has(0)) return void this.#queuedTasks.push({ id, json })
    this.#openTasks.add(id)
    this.#enter((isolate) => isolate.callEntry("invoke", json))
  }

  settle(json: string): void {
    this.#pendingCalls--
    this.#enter((isolate) => isolate.callEntry("settle", json))
  }

  /** Resumes a run that waits for its output to be consumed. */
  resumeOutput(): void {
    this.#unreadBytes = 0
    this.#continue()
  }

  end(reason: EndReason, message: string | null = null): void {
    const isolate = this.#isolate
    if (!isolate) return
    this.#isolate = null
    this.#stop ??= { reason, message }
    clearTimeout(this.#timeout)
    this.#timers.clear()
    this.#log.close()
    this.#sendOutput()
    this.#deps.outbox.post({
      type: "ended",
      run: this.#command.run,
      reason,
      message,
      cpuMs: this.#cpuMs,
      slowestMs: this.#slowestMs,
      memoryBytes: isolate.memoryBytes,
    })
    this.#onEnd(isolate)
  }

  shouldInterrupt(): boolean {
    if (this.#stop) return true
    const { flags, outbox } = this.#deps
    const now = performance.now()
    if (this.#output.length > 0 && now - this.#sliceAt > sliceMs) this.#sendOutput()
    outbox.flushIfDue(now)
    if (Atomics.load(flags, this.#command.slot) === this.#command.run) {
      this.#stop = { reason: "cancelled", message: null }
    } else if (this.#cpuBudget.isExhausted(() => this.#reportProgress())) {
      const message = `Used more than ${this.#command.limits.cpuMs} ms of CPU time without output`
      this.#stop = { reason: "timeout", message }
    }
    return this.#stop !== null
  }

  /** Tells the watchdog that the run still responds to interrupts. */
  #reportProgress(): void {
    Atomics.store(this.#deps.clock, 0, sharedClockMs())
  }

  operate(name: string, read: ReadString): string | undefined {
    const compute = Object.hasOwn(webApiOperations, name) ? webApiOperations[name] : undefined
    if (compute) return compute(read(maxMessage))
    switch (name) {
      case "output":
        return this.#queueOutput(read(this.#command.limits.outputBytes))
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
    this.#cpuBudget.restart(this.#command.limits.cpuMs - this.#sinceOutputMs)
    Atomics.store(clock, 1, this.#command.run)
    this.#reportProgress()
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
    if (this.#openTasks.has(0)) return
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
    if (stop) this.end(stop.reason, stop.message)
    else if (engineError !== undefined) this.#handleEngineError(engineError)
    else if (this.#openTasks.size > 0 && !this.#isWaitingForHost()) {
      this.end("timeout", "Deadlock: the function awaits a promise that can never settle")
    }
  }

  #isWaitingForHost(): boolean {
    return this.#pendingCalls > 0 || this.#timers.count > 0 || this.#isOutputPaused
  }

  #handleEngineError(error: unknown): void {
    if (error instanceof RangeError || (error instanceof Error && /stack/i.test(error.message))) {
      this.end("threw", "Stack overflow")
    } else {
      const max = Math.round(this.#deps.memoryLimit / 1e6)
      this.end("out_of_memory", `Out of memory (maximum ${max} MB)`)
    }
  }

  /** @returns a string if the function has to wait before it emits more */
  #queueOutput(json: string): string | undefined {
    const { pieces, outputBytes, cpuMs } = this.#command.limits
    this.#outputPieces++
    this.#outputBytes += json.length
    if (this.#outputPieces > pieces || this.#outputBytes > outputBytes) {
      const message = `The response exceeds ${pieces} pieces or ${outputBytes / 1e6} MB`
      this.#stop = { reason: "denied", message }
      return "stop"
    }
    this.#output.push(json)
    this.#unreadBytes += json.length + 16
    this.#sinceOutputMs = 0
    this.#cpuBudget.restart(cpuMs)
    const isBufferFull = this.#unreadBytes > maxUnreadBytes
    if (performance.now() - this.#sliceAt <= sliceMs && !isBufferFull) return undefined
    this.#isOutputPaused = true
    if (!isBufferFull) setImmediate(() => this.#continue())
    return "wait"
  }

  #continue(): void {
    if (!this.#isOutputPaused || this.#unreadBytes > maxUnreadBytes) return
    this.#isOutputPaused = false
    this.#deps.outbox.flush()
    this.#enter((isolate) => isolate.callEntry("settle", '{"id":0}'))
  }

  /** @returns the reason if the call is rejected */
  #sendCall(json: string): string | undefined {
    if (this.#pendingCalls >= maxCalls)
      return `Too many concurrent host calls (maximum ${maxCalls})`
    this.#pendingCalls++
    this.#deps.outbox.post({ type: "hostCall", run: this.#command.run, json })
    return undefined
  }

  /** @param message a task's id and its result as JSON, separated by a space */
  #finishTask(message: string): undefined {
    const space = message.indexOf(" ")
    const id = Number(message.slice(0, space))
    if (!this.#openTasks.delete(id)) return
    this.#sendOutput()
    const json = message.slice(space + 1)
    this.#deps.outbox.post({ type: "taskDone", run: this.#command.run, id, json })
  }

  /** An exception that nothing can catch, such as one in a timer, fails all tasks in progress. */
  #failAllTasks(json: string): undefined {
    for (const id of [...this.#openTasks]) this.#finishTask(`${id} ${json}`)
  }

  #sendOutput(): void {
    const { run } = this.#command
    const lines = this.#log.take()
    if (lines.length > 0) this.#deps.outbox.post({ type: "log", run, lines })
    if (this.#output.length === 0) return
    this.#deps.outbox.postDelayed({ type: "output", run, pieces: this.#output })
    this.#output = []
  }
}
