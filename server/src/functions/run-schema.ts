import { z } from "zod"
import { FunctionSummary, maxContent, ValveChanges } from "./schema.ts"

/**
 * How a run ended. `denied`: the function exceeded its permissions or limits, or rejected the
 * request. `worker_lost`: another function in the same worker had to be terminated.
 */
const RunOutcome = z.enum([
  "ok",
  "timeout",
  "out_of_memory",
  "threw",
  "denied",
  "cancelled",
  "worker_lost",
])

export const LogLine = z.object({
  level: z.enum(["debug", "info", "warn", "error"]),
  text: z.string(),
  /** Line in the function's source, from 1; null if unknown. */
  line: z.int().nullable(),
  /** Milliseconds since the start of the run. */
  at_ms: z.int(),
})
export type LogLine = z.output<typeof LogLine>

/** The result of a run; also the last event of a test run. */
export const RunResult = z.object({
  outcome: RunOutcome,
  message: z.string().nullable(),
  line: z.int().nullable(),
  column: z.int().nullable(),
  duration_ms: z.int(),
  first_output_ms: z.int().nullable(),
  /** Milliseconds during which the function's code was running. */
  cpu_ms: z.int(),
  memory_bytes: z.int(),
  output_bytes: z.int(),
})
export type RunResult = z.output<typeof RunResult>

/** Summary of a function's latest run. */
export const LastRun = z
  .object({ outcome: RunOutcome, created_at: z.int() })
  .meta({ id: "LastRun" })
export type LastRun = z.output<typeof LastRun>

/** An entry in the list of functions. */
export const FunctionListItem = FunctionSummary.extend({
  /** Null if the function has never run. */
  last_run: LastRun.nullable(),
}).meta({ id: "FunctionListed" })
export type FunctionListItem = z.output<typeof FunctionListItem>

/** One recorded run of a function. */
export const FunctionRun = RunResult.extend({
  id: z.string(),
  function_id: z.string(),
  version: z.int(),
  /** The requested model's id, or `filter`. */
  task: z.string(),
  user_id: z.string().describe("Empty if it was called with a service key"),
  trial: z.boolean(),
  log: z.array(LogLine),
  created_at: z.int(),
}).meta({ id: "FunctionRun" })
export type FunctionRun = z.output<typeof FunctionRun>

export const TestRunRequest = z
  .object({
    /** The body of a chat completion request; `model` may be omitted. */
    request: z.looseObject({}),
    /** An unsaved source to run instead of the stored one. */
    content: z.string().min(1).max(maxContent).optional(),
    /** The model to run, if the function offers several. */
    model: z.string().max(300).optional(),
    /** Settings that override the stored ones; a secret sent as its mask keeps the stored value. */
    values: ValveChanges.shape.values.optional(),
    /** Allowed hosts that override the stored ones. */
    hosts: z.array(z.string().max(260)).max(100).optional(),
    /** For a filter: the text of the model response passed to its hooks. */
    reply: z.string().max(100_000).default("This is the reply of a model."),
  })
  .meta({ id: "FunctionTrial" })
export type TestRunRequest = z.output<typeof TestRunRequest>
