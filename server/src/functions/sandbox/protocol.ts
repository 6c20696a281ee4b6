import type { LogLine } from "../run-schema.ts"

/** What one run may take. */
export interface Limits {
  /** Bytes of memory for its code and data. */
  memory: number
  /** Milliseconds of computing between two outputs. */
  cpuMs: number
  /** Milliseconds in all, waiting included. */
  wallMs: number
  /** Bytes and pieces of output. */
  outputBytes: number
  pieces: number
}

/** Refused at the border: there is nothing to import, and no file is ever read for a guest. */
export const noImports = "A function cannot import other modules"

/** What the guest's code threw. The stack speaks of the author's own lines. */
export interface Fault {
  name: string
  message: string
  stack: string
}

/** Why a guest cannot go on; its own exceptions are told with `done`. */
export type Ending = "timeout" | "out_of_memory" | "threw" | "denied" | "cancelled" | "finished"

/** To the worker, several at a time. Texts named `json` are given to the guest as they are. */
export type Asked =
  | { type: "begin"; run: number; slot: number; code: string; json: string; limits: Limits }
  | { type: "invoke"; run: number; id: number; json: string }
  | { type: "settle"; run: number; json: string }
  /** What was told so far has been taken by whoever reads. */
  | { type: "room"; run: number }
  | { type: "end"; run: number; why: "finished" | "cancelled" }

/** From the worker, several at a time. */
export type Told =
  | { type: "out"; run: number; pieces: string[] }
  | { type: "log"; run: number; lines: LogLine[] }
  | { type: "call"; run: number; json: string }
  | { type: "done"; run: number; id: number; json: string }
  | {
      type: "over"
      run: number
      ending: Ending
      message: string | null
      cpuMs: number
      slowestMs: number
      memoryBytes: number
    }

/**
 * What both sides of a worker share: since when it computes, for which run, and its thread's number;
 * one flag a run.
 */
const clockFields = 3
export const slots = 1024
export const clockOf = (shared: SharedArrayBuffer): Int32Array =>
  new Int32Array(shared, 0, clockFields)
export const flagsOf = (shared: SharedArrayBuffer): Int32Array =>
  new Int32Array(shared, clockFields * 4, slots)
export const sharedBytes = (clockFields + slots) * 4

/** The same on all threads, unlike `performance.now()`; never 0, which means idle. */
export const threadTime = (): number =>
  Number(process.hrtime.bigint() / 1_000_000n) & 0x3fffffff || 1

export interface WorkerData {
  wasm: WebAssembly.Module
  shared: SharedArrayBuffer
  memory: number
  /** 19 gives way to everything else. */
  niceness: number
}
