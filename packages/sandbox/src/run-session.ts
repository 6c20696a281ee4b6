import {
  describeCallError,
  type FunctionError,
  functionError,
  toFunctionError,
} from "./function-error.ts"
import { type HostCall, parseHostCall, parseTaskResult } from "./isolate-messages.ts"
import type { LogLine, WorkerCommand, WorkerEvent } from "./worker-protocol.ts"

export type InvocationResult = { value: unknown } | { error: FunctionError }

export interface RunCost {
  cpuMs: number
  memoryBytes: number
}

/** Receives the events of a run, in the main thread. */
export interface RunListener {
  /** Receives JSON texts; returning false pauses the function until `resumeOutput` is called. */
  onOutput(pieces: string[]): boolean
  onLog(lines: LogLine[]): void
  /** @throws {HostCallError} with a message for the author; other errors are reported as internal */
  onHostCall(name: string, args: unknown): Promise<unknown>
}

/** Output is acknowledged in steps of this size, well below that at which a function pauses. */
const acknowledgeBytes = 32 * 1024

const cancelled = "Cancelled: the client disconnected"

interface Deps {
  run: number
  listener: RunListener
  send: (command: WorkerCommand) => void
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
    if (!this.#hasEnded) this.#deps.send({ type: "outputConsumed", run: this.#deps.run })
  }

  finish(): void {
    if (!this.#hasEnded) this.#deps.send({ type: "end", run: this.#deps.run, reason: "finished" })
  }

  cancel(): void {
    if (this.#hasEnded) return
    this.#deps.raiseCancelFlag()
    this.#deps.send({ type: "end", run: this.#deps.run, reason: "cancelled" })
  }

  /** Handles an event from the worker. */
  handleEvent(event: WorkerEvent): void {
    try {
      this.#dispatch(event)
    } catch {
      // A module can tamper with the globals that serialize its messages; that ends only its run.
      this.cancel()
      this.workerLost(functionError("threw", "The function corrupted its runtime"))
    }
  }

  #dispatch(event: WorkerEvent): void {
    const { listener } = this.#deps
    if (event.type === "output") {
      for (const piece of event.pieces) this.#unacknowledgedBytes += piece.length
      if (listener.onOutput(event.pieces) && this.#unacknowledgedBytes > acknowledgeBytes)
        this.resumeOutput()
    } else if (event.type === "log") listener.onLog(event.lines)
    else if (event.type === "hostCall") void this.#answerCall(parseHostCall(event.json))
    else if (event.type === "taskDone") this.#settleTask(event.id, event.json)
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
    if ("fault" in result) resolve?.({ error: toFunctionError(result.fault) })
    else resolve?.({ value: result.value ?? null })
  }

  async #answerCall({ id, name, args }: HostCall): Promise<void> {
    const event = await this.#deps.listener.onHostCall(name, args).then(
      (value) => ({ id, value: value ?? null }),
      (error: unknown) => ({ id, error: describeCallError(error) }),
    )
    const { send, run } = this.#deps
    if (!this.#hasEnded) send({ type: "settle", run, json: textOf(event) })
  }

  #end(event: Extract<WorkerEvent, { type: "ended" }>): void {
    const { reason, message, slowestMs } = event
    const error = reason === "finished" ? null : functionError(reason, message ?? cancelled)
    this.#close(error, event, slowestMs)
  }

  #close(error: FunctionError | null, { cpuMs, memoryBytes }: RunCost, slowestMs: number): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#error = error
    const result = { error: error ?? functionError("cancelled", cancelled) }
    for (const resolve of this.#resolveById.values()) resolve(result)
    this.#resolveById.clear()
    this.#ended.resolve({ cpuMs, memoryBytes })
    this.#deps.onEnd(slowestMs)
  }
}

/** Values nested too deeply to be serialized are reported as an error. */
const textOf = ({ id, ...answer }: { id: number; value?: unknown; error?: unknown }): string => {
  try {
    return JSON.stringify({ id, ...answer })
  } catch (error) {
    return JSON.stringify({ id, error: describeCallError(error) })
  }
}
