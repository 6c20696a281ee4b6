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
/** A guest that goes on putting out lets its neighbours have their turn after so long. */
const turnMs = 8
/** Output that nobody has taken yet. */
const maxUnreadBytes = 256 * 1024

export interface GuestDeps extends MachineDeps {
  clock: Int32Array
  flags: Int32Array
  outbox: Outbox<Told>
}

type Begin = Extract<Asked, { type: "begin" }>
type Stop = { ending: Ending; why: string | null }

/**
 * One run in a machine of its own. Only JSON text crosses, measured before it is read; the machine
 * is given back when the run is over, in whatever way.
 */
export class Guest implements Host {
  readonly #needs: GuestDeps
  readonly #run: number
  readonly #slot: number
  readonly #limits: Limits
  readonly #over: (machine: Machine) => void
  readonly #startedAt = performance.now()
  readonly #log = createGuestLog(() => performance.now() - this.#startedAt)
  /** Tasks under way. */
  readonly #open = new Set<number>()
  /** Asked of it while its module is being loaded. */
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

  /** Loads the author's module; `done` with id 0 tells how that went. */
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
    const tooLong = `It took longer than ${limits.wallMs / 1000} seconds`
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

  /** Its output so far was taken. */
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
      const why = `It computed for more than ${this.#limits.cpuMs} ms without any output`
      this.#stop = { ending: "timeout", why }
    }
    return this.#stop !== null
  }

  /** For the watchdog: it can still be interrupted. */
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
        throw "There is no such operation"
    }
  }

  /** Everything that runs the guest's code goes through here: it is timed and can be stopped. */
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

  /** Whether it can go on after a turn. */
  #look(broke: unknown): void {
    // Set by what ran meanwhile, which the type checker cannot see.
    const stop: Stop | null = this.#stop
    if (stop) this.#end(stop.ending, stop.why)
    else if (broke !== undefined) this.#broke(broke)
    else if (this.#open.size > 0 && !this.#waitsForUs()) {
      this.#end("timeout", "It waits for a promise that nothing will ever settle")
    }
  }

  #waitsForUs(): boolean {
    return this.#calls > 0 || this.#timers.size() > 0 || this.#paused
  }

  #broke(error: unknown): void {
    if (error instanceof RangeError || (error instanceof Error && /stack/i.test(error.message))) {
      this.#end("threw", "Its calls are nested too deeply")
    } else {
      const max = Math.round(this.#needs.memory / 1e6)
      this.#end("out_of_memory", `It needs more than ${max} MB of memory`)
    }
  }

  /** @returns a text when the guest is to wait before it puts out more */
  #put(json: string): string | undefined {
    const { pieces, outputBytes, cpuMs } = this.#limits
    this.#pieces++
    this.#bytes += json.length
    if (this.#pieces > pieces || this.#bytes > outputBytes) {
      const why = `Its reply is longer than ${pieces} pieces or ${outputBytes / 1e6} MB`
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

  /** @returns why not, where it may not */
  #ask(json: string): string | undefined {
    if (this.#calls >= maxCalls) return `More than ${maxCalls} calls at once are not allowed`
    this.#calls++
    this.#needs.outbox.put({ type: "call", run: this.#run, json })
    return undefined
  }

  /** @param told an id, and what came of it as JSON */
  #done(told: string): undefined {
    const space = told.indexOf(" ")
    const id = Number(told.slice(0, space))
    if (!this.#open.delete(id)) return
    this.#tellAll()
    const json = told.slice(space + 1)
    this.#needs.outbox.put({ type: "done", run: this.#run, id, json })
  }

  /** What is thrown where nothing waits for it ends all that is under way. */
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
