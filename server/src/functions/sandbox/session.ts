import { z } from "zod"
import type { LogLine, RunOutcome } from "../run-schema.ts"
import { type Asked, type Ending, type Fault, noImports, type Told } from "./protocol.ts"
import { placeOf } from "./run-log.ts"

/** What went wrong in an author's code, as a value. */
export interface Trouble {
  outcome: Exclude<RunOutcome, "ok">
  message: string
  line: number | null
  column: number | null
  /** It refused the request in words for the caller. */
  refused: boolean
}

export type Result = { value: unknown } | { trouble: Trouble }

export interface Cost {
  cpuMs: number
  memoryBytes: number
}

/** What hears a guest, on our side of the wall. */
export interface Hears {
  /** JSON texts; `false` makes the guest wait until `room` is called. */
  out(pieces: string[]): boolean
  log(lines: LogLine[]): void
  /** @throws {Refused} in words for the author; anything else is told as a fault of ours */
  call(name: string, args: unknown): Promise<unknown>
}

/** Why a call of the guest's is not answered; `denied` where it may never be. */
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

/** How a fault reads for a person: with its kind, unless that says nothing. */
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

/** Far less than a guest may have told before it has to wait: so it need not be told of every piece. */
const untoldBytes = 32 * 1024

const cancelled = "The reply was no longer wanted"

interface Deps {
  run: number
  hears: Hears
  post: (asked: Asked) => void
  /** Raises the flag that stops it even while it computes. */
  raise: () => void
  /** Told once, when nothing more comes of it. */
  left: (slowestMs: number) => void
}

/** One run on our side of the wall. */
export class Session {
  readonly #needs: Deps
  readonly #open = new Map<number, (result: Result) => void>()
  #lastId = 0
  #trouble: Trouble | null = null
  #over = false
  #takenBytes = 0
  #settleOver: (cost: Cost) => void = () => {}
  /** Settles when the machine is gone. */
  readonly over: Promise<Cost>
  /** Whether the author's module could be loaded. */
  readonly loaded: Promise<Result>

  constructor(deps: Deps) {
    this.#needs = deps
    this.over = new Promise((resolve) => {
      this.#settleOver = resolve
    })
    this.loaded = new Promise((resolve) => this.#open.set(0, resolve))
  }

  /** Has the guest do one of its tasks. */
  invoke(task: string, args: unknown): Promise<Result> {
    if (this.#over) {
      return Promise.resolve({ trouble: this.#trouble ?? trouble("cancelled", cancelled) })
    }
    const id = ++this.#lastId
    const { post, run } = this.#needs
    post({ type: "invoke", run, id, json: JSON.stringify({ id, task, args }) })
    return new Promise((resolve) => this.#open.set(id, resolve))
  }

  /** The output so far was taken. */
  room(): void {
    this.#takenBytes = 0
    if (!this.#over) this.#needs.post({ type: "room", run: this.#needs.run })
  }

  finish(): void {
    if (!this.#over) this.#needs.post({ type: "end", run: this.#needs.run, why: "finished" })
  }

  cancel(): void {
    if (this.#over) return
    this.#needs.raise()
    this.#needs.post({ type: "end", run: this.#needs.run, why: "cancelled" })
  }

  /** What its worker told. */
  hear(told: Told): void {
    try {
      this.#take(told)
    } catch {
      // A module can poison what its own texts are made with; that is its own end, and not ours.
      this.cancel()
      this.lost(trouble("threw", "It broke what it is run with"))
    }
  }

  #take(told: Told): void {
    const { hears } = this.#needs
    if (told.type === "out") {
      for (const piece of told.pieces) this.#takenBytes += piece.length
      if (hears.out(told.pieces) && this.#takenBytes > untoldBytes) this.room()
    } else if (told.type === "log") hears.log(told.lines)
    else if (told.type === "call") void this.#answer(Called.parse(JSON.parse(told.json)))
    else if (told.type === "done") this.#settle(told.id, told.json)
    else this.#end(told)
  }

  /** Its worker is gone. */
  lost(why: Trouble): void {
    this.#close(why, { cpuMs: 0, memoryBytes: 0 }, 0)
  }

  #settle(id: number, json: string): void {
    const { value, fault } = Done.parse(JSON.parse(json))
    const resolve = this.#open.get(id)
    this.#open.delete(id)
    resolve?.(fault ? { trouble: troubleOf(fault) } : { value: value ?? null })
  }

  async #answer({ id, name, args }: z.output<typeof Called>): Promise<void> {
    const told = await this.#needs.hears.call(name, args).then(
      (value) => ({ id, value: value ?? null }),
      (error: unknown) => ({ id, error: inWords(error) }),
    )
    const { post, run } = this.#needs
    if (!this.#over) post({ type: "settle", run, json: textOf(told) })
  }

  #end({ ending, message, cpuMs, memoryBytes, slowestMs }: Extract<Told, { type: "over" }>): void {
    const why = ending === "finished" ? null : trouble(endings[ending], message ?? cancelled)
    this.#close(why, { cpuMs, memoryBytes }, slowestMs)
  }

  #close(why: Trouble | null, cost: Cost, slowestMs: number): void {
    if (this.#over) return
    this.#over = true
    this.#trouble = why
    const result = { trouble: why ?? trouble("cancelled", cancelled) }
    for (const resolve of this.#open.values()) resolve(result)
    this.#open.clear()
    this.#settleOver(cost)
    this.#needs.left(slowestMs)
  }
}

/** What nests too deep for us is no answer for a guest either. */
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
  const message = "Something went wrong in the gateway"
  return { message, code: "internal", status: 500, denied: false }
}
