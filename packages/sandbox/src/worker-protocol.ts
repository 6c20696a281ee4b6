/** Resource limits of one run. */
export interface RunLimits {
  /** Memory in bytes, for code and data. */
  memory: number
  /** Milliseconds of CPU time between two outputs. */
  cpuMs: number
  /** Milliseconds in total, including waiting. */
  wallMs: number
  /** Maximum size of the output, in bytes and in pieces. */
  outputBytes: number
  pieces: number
}

/** A line that a function logged. */
export interface LogLine {
  level: "debug" | "info" | "warn" | "error"
  text: string
  /** Line in the function's source, from 1; null if unknown. */
  line: number | null
  /** Milliseconds since the start of the run. */
  at_ms: number
}

/** There are no modules to import, and no file is read on behalf of a function. */
export const importsRejectedMessage = "A function cannot import other modules"

/** An exception thrown by the function's code. The stack refers to lines of its own source. */
export interface ThrownError {
  name: string
  message: string
  stack: string
}

/** Why a run ended; exceptions in its tasks are reported with `taskDone` instead. */
export type EndReason = "timeout" | "out_of_memory" | "threw" | "denied" | "cancelled" | "finished"

/** Messages to the worker, sent in batches. `json` fields are passed into the isolate unparsed. */
export type WorkerCommand =
  | { type: "start"; run: number; slot: number; code: string; json: string; limits: RunLimits }
  | { type: "invoke"; run: number; id: number; json: string }
  | { type: "settle"; run: number; json: string }
  /** The output so far has been consumed. */
  | { type: "outputConsumed"; run: number }
  | { type: "end"; run: number; reason: "finished" | "cancelled" }

/** Messages from the worker, sent in batches. */
export type WorkerEvent =
  | { type: "output"; run: number; pieces: string[] }
  | { type: "log"; run: number; lines: LogLine[] }
  | { type: "hostCall"; run: number; json: string }
  | { type: "taskDone"; run: number; id: number; json: string }
  | {
      type: "ended"
      run: number
      reason: EndReason
      message: string | null
      cpuMs: number
      slowestMs: number
      memoryBytes: number
    }

/**
 * Memory shared with a worker: when its current work began, for which run, and its thread id; then
 * one cancel flag per run slot.
 */
const clockFields = 3
export const maxRunsPerWorker = 1024
export const clockView = (shared: SharedArrayBuffer): Int32Array =>
  new Int32Array(shared, 0, clockFields)
export const cancelFlagsView = (shared: SharedArrayBuffer): Int32Array =>
  new Int32Array(shared, clockFields * 4, maxRunsPerWorker)
export const sharedBytes = (clockFields + maxRunsPerWorker) * 4

/** A clock common to all threads, unlike `performance.now()`; never 0, which means idle. */
export const sharedClockMs = (): number =>
  Number(process.hrtime.bigint() / 1_000_000n) & 0x3fffffff || 1

export interface WorkerData {
  wasm: WebAssembly.Module
  /** URL of the environment's script. */
  environment: string
  shared: SharedArrayBuffer
  memory: number
  /** Scheduling priority; 19 yields to everything else. */
  niceness: number
}
