import { Allowance } from "./cpu-budget.ts"
import { textOperations } from "./host-text.ts"
import type { Host, Machine, MachineDeps } from "./isolate.ts"
import type { Outbox } from "./message-batch.ts"
import { moduleFault } from "./module-error.ts"
import { type Asked, type Ending, type Limits, type Told, threadTime } from "./protocol.ts"
import { createGuestLog, logMessage } from "./run-log.ts"
import { createTimers } from "./timers.ts"

const maxCalls = 64
const maxMessage = 16 * 1024 * 1024
const maxLogMessage = 64 * 1024
/** Milliseconds after which a run that produces output continuously yields to the other runs. */
const turnMs = 8
/** Maximum size of output not yet consumed. */
const maxUnreadBytes = 256 * 1024

export interface GuestDeps extends MachineDeps {
  clock: Int32Array
  flags: Int32Array
  outbox: Outbox<Told>
}

type Begin = Extract<Asked, { type: "begin" }>
type Stop = { ending: Ending; why: string | null }

/**
 * One run in its own isolate. Only JSON text is exchanged, and its length is checked before it is
 * read. The isolate is returned when the run ends for any reason.
 */
export class Guest implements Host {
  readonly #needs: GuestDeps
  readonly #run: number
  readonly #slot: number
  readonly #limits: Limits
  readonly #over: (machine: Machine) => void
  readonly #startedAt = performance.now()
  readonly #log = createGuestLog(() => performance.now() - this.#startedAt)
  /** Tasks in progress. */
  readonly #open = new Set<number>()
  /** Tasks received while the module is loading. */
  #held: { id: number; json: string }[] = []
  readonly #timers = createTimers((id) =>
    this.#enter((machine) => machine.call("ring", String(id))),
  )
  readonly #wall: NodeJS.Timeout
  #machine: Machine | null
  #stop: Stop | null = null
  #sliceAt = 0
  readonly #allowance = new Allowance()
  #cpuMs = 0
  #sinceOutputMs = 0
  #slowestMs = 0
  #out: string[] = []
  #pieces = 0
  #bytes = 0
  #untaken = 0
  #paused = false
  #calls = 0

  /** Starts loading the module; `done` with id 0 reports the result. */
  constructor(
    deps: GuestDeps,
    machine: Machine,
    { begin, over }: { begin: Begin; over: (machine: Machine) => void },
  ) {
    const { run, slot, limits, code, json } = begin
    this.#needs = deps
    this.#machine = machine
    this.#run = run
    this.#slot = slot
    this.#limits = limits
    this.#over = over
    const tooLong = `Timed out after ${limits.wallMs / 1000} seconds`
    this.#wall = setTimeout(() => this.#end("timeout", tooLong), limits.wallMs)
    machine.serve(this)
    this.#open.add(0)
    this.#enter((own) => {
      try {
        own.load(code, json)
      } catch (error) {
        if (this.#stop) return
        this.#failed(moduleFault(error))
      }
    })
  }

  invoke(id: number, json: string): void {
    if (this.#open.has(0)) return void this.#held.push({ id, json })
    this.#open.add(id)
    this.#enter((machine) => machine.call("invoke", json))
  }

  settle(json: string): void {
    this.#calls--
    this.#enter((machine) => machine.call("settle", json))
  }

  /** Resumes a run that waits for its output to be consumed. */
  room(): void {
    this.#untaken = 0
    this.#goOn()
  }

  end(why: "finished" | "cancelled"): void {
    this.#end(why, null)
  }

  interrupted(): boolean {
    if (this.#stop) return true
    const { flags, outbox } = this.#needs
    const now = performance.now()
    if (this.#out.length > 0 && now - this.#sliceAt > turnMs) this.#tellAll()
    outbox.hurry(now)
    if (Atomics.load(flags, this.#slot) === this.#run) {
      this.#stop = { ending: "cancelled", why: null }
    } else if (this.#allowance.isUsedUp(() => this.#markTime())) {
      const why = `Used more than ${this.#limits.cpuMs} ms of CPU time without output`
      this.#stop = { ending: "timeout", why }
    }
    return this.#stop !== null
  }

  /** Tells the watchdog that the run still responds to interrupts. */
  #markTime(): void {
    Atomics.store(this.#needs.clock, 0, threadTime())
  }

  operate(name: string, read: (max: number) => string): string | undefined {
    const compute = Object.hasOwn(textOperations, name) ? textOperations[name] : undefined
    if (compute) return compute(read(maxMessage))
    switch (name) {
      case "out":
        return this.#put(read(this.#limits.outputBytes))
      case "log":
        return this.#log.write(logMessage(read(maxLogMessage))) ? undefined : "full"
      case "call":
        return this.#ask(read(maxMessage))
      case "timer":
        return this.#timers.set(read(200))
      case "done":
        return this.#done(read(maxMessage))
      case "fault":
        return this.#failed(read(maxMessage))
      default:
        throw "Unknown host operation"
    }
  }

  /** The only place where the function's code runs: it is timed here and can be stopped. */
  #enter(work: (machine: Machine) => void): void {
    const machine = this.#machine
    if (!machine || this.#stop) return
    const { clock, outbox } = this.#needs
    this.#sliceAt = performance.now()
    outbox.hurry(this.#sliceAt)
    this.#allowance.allow(this.#limits.cpuMs - this.#sinceOutputMs)
    Atomics.store(clock, 1, this.#run)
    this.#markTime()
    let broke: unknown
    try {
      work(machine)
      machine.runJobs()
    } catch (error) {
      broke = error ?? "unknown"
    }
    Atomics.store(clock, 0, 0)
    this.#count(performance.now() - this.#sliceAt, this.#allowance.usedMs())
    this.#tellAll()
    this.#look(broke)
    this.#takeHeld()
  }

  #takeHeld(): void {
    if (this.#open.has(0)) return
    const held = this.#held
    this.#held = []
    for (const { id, json } of held) this.invoke(id, json)
  }

  #count(ms: number, sinceAllowed: number): void {
    this.#cpuMs += ms
    this.#sinceOutputMs += sinceAllowed
    this.#slowestMs = Math.max(this.#slowestMs, ms)
  }

  /** Decides whether the run can continue after a slice. */
  #look(broke: unknown): void {
    // May be set while the code ran, which the type checker cannot see.
    const stop: Stop | null = this.#stop
    if (stop) this.#end(stop.ending, stop.why)
    else if (broke !== undefined) this.#broke(broke)
    else if (this.#open.size > 0 && !this.#waitsForUs()) {
      this.#end("timeout", "Deadlock: the function awaits a promise that can never settle")
    }
  }

  #waitsForUs(): boolean {
    return this.#calls > 0 || this.#timers.size() > 0 || this.#paused
  }

  #broke(error: unknown): void {
    if (error instanceof RangeError || (error instanceof Error && /stack/i.test(error.message))) {
      this.#end("threw", "Stack overflow")
    } else {
      const max = Math.round(this.#needs.memory / 1e6)
      this.#end("out_of_memory", `Out of memory (maximum ${max} MB)`)
    }
  }

  /** @returns a string if the function has to wait before it emits more */
  #put(json: string): string | undefined {
    const { pieces, outputBytes, cpuMs } = this.#limits
    this.#pieces++
    this.#bytes += json.length
    if (this.#pieces > pieces || this.#bytes > outputBytes) {
      const why = `The response exceeds ${pieces} pieces or ${outputBytes / 1e6} MB`
      this.#stop = { ending: "denied", why }
      return "stop"
    }
    this.#out.push(json)
    this.#untaken += json.length + 16
    this.#sinceOutputMs = 0
    this.#allowance.allow(cpuMs)
    const tooMuch = this.#untaken > maxUnreadBytes
    if (performance.now() - this.#sliceAt <= turnMs && !tooMuch) return undefined
    this.#paused = true
    if (!tooMuch) setImmediate(() => this.#goOn())
    return "wait"
  }

  #goOn(): void {
    if (!this.#paused || this.#untaken > maxUnreadBytes) return
    this.#paused = false
    this.#needs.outbox.flush()
    this.#enter((machine) => machine.call("settle", '{"id":0}'))
  }

  /** @returns the reason if the call is rejected */
  #ask(json: string): string | undefined {
    if (this.#calls >= maxCalls) return `Too many concurrent host calls (maximum ${maxCalls})`
    this.#calls++
    this.#needs.outbox.put({ type: "call", run: this.#run, json })
    return undefined
  }

  /** @param told a task's id and its result as JSON, separated by a space */
  #done(told: string): undefined {
    const space = told.indexOf(" ")
    const id = Number(told.slice(0, space))
    if (!this.#open.delete(id)) return
    this.#tellAll()
    const json = told.slice(space + 1)
    this.#needs.outbox.put({ type: "done", run: this.#run, id, json })
  }

  /** An exception that nothing can catch, such as one in a timer, fails all tasks in progress. */
  #failed(json: string): undefined {
    for (const id of [...this.#open]) this.#done(`${id} ${json}`)
  }

  #tellAll(): void {
    const run = this.#run
    const lines = this.#log.take()
    if (lines.length > 0) this.#needs.outbox.put({ type: "log", run, lines })
    if (this.#out.length === 0) return
    this.#needs.outbox.putSoon({ type: "out", run, pieces: this.#out })
    this.#out = []
  }

  #end(ending: Ending, message: string | null): void {
    const machine = this.#machine
    if (!machine) return
    this.#machine = null
    this.#stop ??= { ending, why: message }
    clearTimeout(this.#wall)
    this.#timers.clear()
    this.#log.close()
    this.#tellAll()
    this.#needs.outbox.put({
      type: "over",
      run: this.#run,
      ending,
      message,
      cpuMs: this.#cpuMs,
      slowestMs: this.#slowestMs,
      memoryBytes: machine.memoryBytes,
    })
    this.#over(machine)
  }
}
