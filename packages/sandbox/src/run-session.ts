import { type HostCall, parseHostCall, parseTaskResult } from "./isolate-messages.ts"
import { findSourcePosition } from "./run-log.ts"
import {
  type EndReason,
  importsRejectedMessage,
  type LogLine,
  type ThrownError,
  type WorkerCommand,
  type WorkerEvent,
} from "./worker-protocol.ts"

/** An error of a function, as a value. */
export interface FunctionError {
  /**
   * `denied`: the function exceeded its permissions or limits, or rejected its task. `worker_lost`:
   * another function in the same worker had to be terminated.
   */
  outcome: Exclude<EndReason, "finished"> | "worker_lost"
  message: string
  line: number | null
  column: number | null
  /** True if the function rejected its task with `refuse`; the message is then for the caller. */
  refused: boolean
}

export type InvocationResult = { value: unknown } | { error: FunctionError }

export interface RunCost {
  cpuMs: number
  memoryBytes: number
}

/** Receives the events of a run, in the main thread. */
export interface RunListener {
  /** Receives JSON texts; returning false pauses the function until `resumeOutput` is called. */
  out(pieces: string[]): boolean
  log(lines: LogLine[]): void
  /**
   * @throws {HostCallError} with a message for the author; other errors are reported as internal
   */
  call(name: string, args: unknown): Promise<unknown>
}

/**
 * Thrown by `RunListener.call` to return an error to the function: a `RequestError` with code and
 * status, or a `DeniedError` if the call is never allowed.
 */
export class HostCallError extends Error {
  readonly code: string
  readonly status: number
  readonly denied: boolean

  constructor(message: string, { code = "denied", status = 403, denied = true } = {}) {
    super(message)
    this.name = "HostCallError"
    this.code = code
    this.status = status
    this.denied = denied
  }
}

const outcomeOf = ({ name, message }: ThrownError): FunctionError["outcome"] => {
  if (name === "DeniedError" || name === "RefusedError" || message === importsRejectedMessage)
    return "denied"
  return name === "InternalError" && message === "out of memory" ? "out_of_memory" : "threw"
}

/** Converts an exception to an error message, with the exception's name if it is informative. */
const errorFromException = (fault: ThrownError): FunctionError => {
  const { name, message, stack } = fault
  const plain = ["Error", "DeniedError", "RefusedError", "RequestError"].includes(name)
  const text = plain ? message || name : `${name}: ${message}`
  const refused = name === "RefusedError"
  return { outcome: outcomeOf(fault), message: text, refused, ...findSourcePosition(stack) }
}

/** Creates an error without a position in the source. */
export const functionError = (
  outcome: FunctionError["outcome"],
  message: string,
): FunctionError => ({
  outcome,
  message,
  line: null,
  column: null,
  refused: false,
})

/**
 * Output is acknowledged in steps of this size, well below the limit at which a function pauses.
 */
const acknowledgeBytes = 32 * 1024

const cancelled = "Cancelled: the client disconnected"

interface Deps {
  run: number
  listener: RunListener
  send: (calls: WorkerCommand) => void
  /** Sets the flag that stops the run even while it computes. */
  raiseCancelFlag: () => void
  /** Called once, after the last event. */
  onEnd: (slowestMs: number) => void
}

/** The main thread's side of one run. */
export class RunSession {
  readonly #deps: Deps
  readonly #resolveById = new Map<number, (result: InvocationResult) => void>()
  #lastId = 0
  #error: FunctionError | null = null
  #hasEnded = false
  #unacknowledgedBytes = 0
  readonly #ended = Promise.withResolvers<RunCost>()
  /** Resolves when the run has ended. */
  readonly ended = this.#ended.promise
  /** Resolves when the module was loaded, or failed to load. */
  readonly loaded = new Promise<InvocationResult>((resolve) => this.#resolveById.set(0, resolve))

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Runs one task in the isolate. */
  invoke(task: string, args: unknown): Promise<InvocationResult> {
    if (this.#hasEnded) {
      return Promise.resolve({ error: this.#error ?? functionError("cancelled", cancelled) })
    }
    const id = ++this.#lastId
    const { send, run } = this.#deps
    send({ type: "invoke", run, id, json: JSON.stringify({ id, task, args }) })
    return new Promise((resolve) => this.#resolveById.set(id, resolve))
  }

  /** Acknowledges all output so far. */
  resumeOutput(): void {
    this.#unacknowledgedBytes = 0
    if (!this.#hasEnded) this.#deps.send({ type: "room", run: this.#deps.run })
  }

  finish(): void {
    if (!this.#hasEnded) this.#deps.send({ type: "end", run: this.#deps.run, why: "finished" })
  }

  cancel(): void {
    if (this.#hasEnded) return
    this.#deps.raiseCancelFlag()
    this.#deps.send({ type: "end", run: this.#deps.run, why: "cancelled" })
  }

  /** Handles an event from the worker. */
  handleEvent(event: WorkerEvent): void {
    try {
      this.#dispatch(event)
    } catch {
      // A module can tamper with the globals that serialize its messages; that ends only its own
      // run.
      this.cancel()
      this.workerLost(functionError("threw", "The function corrupted its runtime"))
    }
  }

  #dispatch(event: WorkerEvent): void {
    const { listener } = this.#deps
    if (event.type === "out") {
      for (const piece of event.pieces) this.#unacknowledgedBytes += piece.length
      if (listener.out(event.pieces) && this.#unacknowledgedBytes > acknowledgeBytes)
        this.resumeOutput()
    } else if (event.type === "log") listener.log(event.lines)
    else if (event.type === "call") void this.#answerCall(parseHostCall(event.json))
    else if (event.type === "done") this.#settleTask(event.id, event.json)
    else this.#end(event)
  }

  /** Ends the run because its worker has exited. */
  workerLost(error: FunctionError): void {
    this.#close(error, { cpuMs: 0, memoryBytes: 0 }, 0)
  }

  #settleTask(id: number, json: string): void {
    const result = parseTaskResult(json)
    const resolve = this.#resolveById.get(id)
    this.#resolveById.delete(id)
    if ("fault" in result) resolve?.({ error: errorFromException(result.fault) })
    else resolve?.({ value: result.value ?? null })
  }

  async #answerCall({ id, name, args }: HostCall): Promise<void> {
    const event = await this.#deps.listener.call(name, args).then(
      (value) => ({ id, value: value ?? null }),
      (error: unknown) => ({ id, error: describeError(error) }),
    )
    const { send, run } = this.#deps
    if (!this.#hasEnded) send({ type: "settle", run, json: textOf(event) })
  }

  #end({
    ending,
    message,
    cpuMs,
    memoryBytes,
    slowestMs,
  }: Extract<WorkerEvent, { type: "over" }>): void {
    const error = ending === "finished" ? null : functionError(ending, message ?? cancelled)
    this.#close(error, { cpuMs, memoryBytes }, slowestMs)
  }

  #close(error: FunctionError | null, cost: RunCost, slowestMs: number): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#error = error
    const result = { error: error ?? functionError("cancelled", cancelled) }
    for (const resolve of this.#resolveById.values()) resolve(result)
    this.#resolveById.clear()
    this.#ended.resolve(cost)
    this.#deps.onEnd(slowestMs)
  }
}

/** Values nested too deeply to be serialized are reported as an error. */
const textOf = ({ id, ...answer }: { id: number; value?: unknown; error?: unknown }): string => {
  try {
    return JSON.stringify({ id, ...answer })
  } catch (error) {
    return JSON.stringify({ id, error: describeError(error) })
  }
}

const describeError = (error: unknown) => {
  if (error instanceof HostCallError) {
    const { message, code, status, denied } = error
    return { message, code, status, denied }
  }
  const message = "An internal error occurred"
  return { message, code: "internal", status: 500, denied: false }
}
