import { z } from "zod"
import { FunctionSummary, maxContent } from "./schema.ts"

/**
 * How a run ended. `denied`: it wanted what it may not have, or refused the request itself.
 * `worker_lost`: another function had to be stopped by force beside it.
 */
export const RunOutcome = z.enum([
  "ok",
  "timeout",
  "out_of_memory",
  "threw",
  "denied",
  "cancelled",
  "worker_lost",
])
export type RunOutcome = z.output<typeof RunOutcome>

export const LogLine = z.object({
  level: z.enum(["debug", "info", "warn", "error"]),
  text: z.string(),
  /** In the author's source, from 1; null where it cannot be told. */
  line: z.int().nullable(),
  /** Milliseconds after the start. */
  at_ms: z.int(),
})
export type LogLine = z.output<typeof LogLine>

/** What a run came to; the trial's last event says the same. */
export const RunResult = z.object({
  outcome: RunOutcome,
  message: z.string().nullable(),
  line: z.int().nullable(),
  column: z.int().nullable(),
  duration_ms: z.int(),
  first_output_ms: z.int().nullable(),
  /** Time in which its code was running. */
  cpu_ms: z.int(),
  memory_bytes: z.int(),
  output_bytes: z.int(),
})
export type RunResult = z.output<typeof RunResult>

/** How the latest run of a function went. */
export const LastRun = z
  .object({ outcome: RunOutcome, created_at: z.int() })
  .meta({ id: "LastRun" })
export type LastRun = z.output<typeof LastRun>

/** In the list of all. */
export const FunctionListed = FunctionSummary.extend({
  /** Null where it never ran. */
  last_run: LastRun.nullable(),
}).meta({ id: "FunctionListed" })
export type FunctionListed = z.output<typeof FunctionListed>

/** One of the last runs of a function. */
export const FunctionRun = RunResult.extend({
  id: z.string(),
  function_id: z.string(),
  version: z.int(),
  /** The model or filter hook that was asked for. */
  task: z.string(),
  user_id: z.string(),
  trial: z.boolean(),
  log: z.array(LogLine),
  created_at: z.int(),
}).meta({ id: "FunctionRun" })
export type FunctionRun = z.output<typeof FunctionRun>

export const TrialRun = z
  .object({
    /** The body of a chat request; `model` may be left out. */
    request: z.looseObject({}),
    /** A source that is not saved yet, in place of the stored one. */
    content: z.string().min(1).max(maxContent).optional(),
    /** One of the function's models, where it has several. */
    model: z.string().max(300).optional(),
    /** Settings in place of those stored; a secret's mask means the stored one. */
    values: z
      .record(z.string().max(64), z.union([z.string(), z.number(), z.boolean()]).nullable())
      .optional(),
    /** Hosts in place of those stored. */
    hosts: z.array(z.string().max(260)).max(100).optional(),
    /** For a filter: the reply that its hooks are given. */
    reply: z.string().max(100_000).default("This is the reply of a model."),
  })
  .meta({ id: "FunctionTrial" })
export type TrialRun = z.output<typeof TrialRun>
