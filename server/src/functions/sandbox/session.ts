import { z } from "zod"
import type { LogLine, RunOutcome } from "../run-schema.ts"
import { type Asked, type Ending, type Fault, noImports, type Told } from "./protocol.ts"
import { placeOf } from "./run-log.ts"

/** An error of a function, as a value. */
export interface Trouble {
  outcome: Exclude<RunOutcome, "ok">
  message: string
  line: number | null
  column: number | null
  /**
   * True if the function rejected the request with `context.refuse`; the message is then for the
   * caller.
   */
  refused: boolean
}

export type Result = { value: unknown } | { error: Trouble }

export interface Cost {
  cpuMs: number
  memoryBytes: number
}

/** Receives the events of a run, in the main thread. */
export interface Hears {
  /** Receives JSON texts; returning false pauses the function until `resumeOutput` is called. */
  out(pieces: string[]): boolean
  log(lines: LogLine[]): void
  /**
   * @throws {HostCallError} with a message for the author; other errors are reported as internal
   */
  call(name: string, args: unknown): Promise<unknown>
}

/** The error that a host call returns to the function. `denied` means that it is never allowed. */
export class Refused extends Error {
  readonly code: string
  readonly status: number
  readonly denied: boolean

  constructor(message: string, { code = "denied", status = 403, denied = true } = {}) {
    super(message)
    this.name = "Refused"
    this.code = code
    this.status = status
    this.denied = denied
  }
}

const Called = z.object({ id: z.number(), name: z.string(), args: z.unknown().optional() })
const Done = z.object({
  value: z.unknown().optional(),
  fault: z.object({ name: z.string(), message: z.string(), stack: z.string() }).optional(),
})

const outcomeOf = ({ name, message }: Fault): Trouble["outcome"] => {
  if (name === "DeniedError" || name === "RefusedError" || message === noImports) return "denied"
  return name === "InternalError" && message === "out of memory" ? "out_of_memory" : "threw"
}

/** Converts an exception to an error message, with the exception's name if it is informative. */
const troubleOf = (fault: Fault): Trouble => {
  const { name, message, stack } = fault
  const plain = ["Error", "DeniedError", "RefusedError", "RequestError"].includes(name)
  const words = plain ? message || name : `${name}: ${message}`
  const refused = name === "RefusedError"
  return { outcome: outcomeOf(fault), message: words, refused, ...placeOf(stack) }
}

const endings: Record<Exclude<Ending, "finished">, Trouble["outcome"]> = {
  timeout: "timeout",
  out_of_memory: "out_of_memory",
  threw: "threw",
  denied: "denied",
  cancelled: "cancelled",
}

export const trouble = (outcome: Trouble["outcome"], message: string): Trouble => ({
  outcome,
  message,
  line: null,
  column: null,
  refused: false,
})

/**
 * Output is acknowledged in steps of this size, well below the limit at which a function pauses.
 */
const untoldBytes = 32 * 1024

const cancelled = "Cancelled: the client disconnected"

interface Deps {
  run: number
  hears: Hears
  post: (asked: Asked) => void
  /** Sets the flag that stops the run even while it computes. */
  raise: () => void
  /** Called once, after the last event. */
  onEnd: (slowestMs: number) => void
}

/** The main thread's side of one run. */
export class Session {
  readonly #deps: Deps
  readonly #resolveById = new Map<number, (result: Result) => void>()
  #lastId = 0
  #error: Trouble | null = null
  #hasEnded = false
  #unacknowledgedBytes = 0
  #resolveEnded: (cost: Cost) => void = () => {}
  /** Resolves when the run has ended. */
  readonly over: Promise<Cost>
  /** Resolves when the module was loaded, or failed to load. */
  readonly loaded: Promise<Result>

  constructor(deps: Deps) {
    this.#deps = deps
    this.over = new Promise((resolve) => {
      this.#resolveEnded = resolve
    })
    this.loaded = new Promise((resolve) => this.#resolveById.set(0, resolve))
  }

  /** Runs one task in the isolate. */
  invoke(task: string, args: unknown): Promise<Result> {
    if (this.#hasEnded) {
      return Promise.resolve({ error: this.#error ?? trouble("cancelled", cancelled) })
    }
    const id = ++this.#lastId
    const { post, run } = this.#deps
    post({ type: "invoke", run, id, json: JSON.stringify({ id, task, args }) })
    return new Promise((resolve) => this.#resolveById.set(id, resolve))
  }

  /** Acknowledges all output so far. */
  room(): void {
    this.#unacknowledgedBytes = 0
    if (!this.#hasEnded) this.#deps.post({ type: "room", run: this.#deps.run })
  }

  finish(): void {
    if (!this.#hasEnded) this.#deps.post({ type: "end", run: this.#deps.run, why: "finished" })
  }

  cancel(): void {
    if (this.#hasEnded) return
    this.#deps.raise()
    this.#deps.post({ type: "end", run: this.#deps.run, why: "cancelled" })
  }

  /** Handles an event from the worker. */
  hear(told: Told): void {
    try {
      this.#dispatch(told)
    } catch {
      // A module can tamper with the globals that serialize its messages; that ends only its own
      // run.
      this.cancel()
      this.lost(trouble("threw", "The function corrupted its runtime"))
    }
  }

  #dispatch(told: Told): void {
    const { hears } = this.#deps
    if (told.type === "out") {
      for (const piece of told.pieces) this.#unacknowledgedBytes += piece.length
      if (hears.out(told.pieces) && this.#unacknowledgedBytes > untoldBytes) this.room()
    } else if (told.type === "log") hears.log(told.lines)
    else if (told.type === "call") void this.#answerCall(Called.parse(JSON.parse(told.json)))
    else if (told.type === "done") this.#settleTask(told.id, told.json)
    else this.#end(told)
  }

  /** Ends the run because its worker has exited. */
  lost(why: Trouble): void {
    this.#close(why, { cpuMs: 0, memoryBytes: 0 }, 0)
  }

  #settleTask(id: number, json: string): void {
    const { value, fault } = Done.parse(JSON.parse(json))
    const resolve = this.#resolveById.get(id)
    this.#resolveById.delete(id)
    resolve?.(fault ? { error: troubleOf(fault) } : { value: value ?? null })
  }

  async #answerCall({ id, name, args }: z.output<typeof Called>): Promise<void> {
    const told = await this.#deps.hears.call(name, args).then(
      (value) => ({ id, value: value ?? null }),
      (error: unknown) => ({ id, error: inWords(error) }),
    )
    const { post, run } = this.#deps
    if (!this.#hasEnded) post({ type: "settle", run, json: textOf(told) })
  }

  #end({ ending, message, cpuMs, memoryBytes, slowestMs }: Extract<Told, { type: "over" }>): void {
    const why = ending === "finished" ? null : trouble(endings[ending], message ?? cancelled)
    this.#close(why, { cpuMs, memoryBytes }, slowestMs)
  }

  #close(why: Trouble | null, cost: Cost, slowestMs: number): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#error = why
    const result = { error: why ?? trouble("cancelled", cancelled) }
    for (const resolve of this.#resolveById.values()) resolve(result)
    this.#resolveById.clear()
    this.#resolveEnded(cost)
    this.#deps.onEnd(slowestMs)
  }
}

/** Values nested too deeply to be serialized are reported as an error. */
const textOf = ({ id, ...answer }: { id: number; value?: unknown; error?: unknown }): string => {
  try {
    return JSON.stringify({ id, ...answer })
  } catch (error) {
    return JSON.stringify({ id, error: inWords(error) })
  }
}

const inWords = (error: unknown) => {
  if (error instanceof Refused) {
    const { message, code, status, denied } = error
    return { message, code, status, denied }
  }
  const message = "An internal error occurred"
  return { message, code: "internal", status: 500, denied: false }
}
