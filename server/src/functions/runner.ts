import type { createPlaces } from "../limits/semaphore.ts"
import type { Guard } from "../outbound/ssrf-guard.ts"
import { createCapabilities } from "./host-calls.ts"
import type { Abilities, Asker } from "./host-services.ts"
import type { ItemStore } from "./key-value-store.ts"
import type { FunctionRun, LogLine, RunResult } from "./run-schema.ts"
import type { RunStore } from "./run-store.ts"
import type { Wall } from "./sandbox/sandbox.ts"
import { type Result, type Session, type Trouble, trouble } from "./sandbox/session.ts"
import { effectiveValues, missingValues } from "./settings.ts"
import type { StoredFunction, Values } from "./store.ts"

const maxKeptLines = 200
/** Maximum depth of functions calling each other. */
const maxDepth = 4

interface Deps {
  wall: Wall
  enter: ReturnType<typeof createPlaces>
  abilities: Abilities
  items: ItemStore
  guard: Guard
  runs: RunStore
  newId: () => string
  now: () => number
}

export interface RunSpec extends Asker {
  fn: Pick<StoredFunction, "id" | "name" | "version" | "code" | "manifest" | "hosts">
  values: Values
  /** What the function is called for: a model's id, or `filter`. */
  task: string
  /** The id that the module gives the model; null if it exports a single model. */
  own: string | null
  trial?: boolean
  /** Receives JSON texts; return false to pause the output until `resumeOutput`. */
  out?: (pieces: string[]) => boolean
  log?: (lines: LogLine[]) => void
}

/** A function running for one request. */
export interface Run {
  invoke(task: string, args: unknown): Promise<Result>
  room(): void
  cancel(): void
  /** Ends and records the run; `error` is null if it succeeded. */
  finish(why: Trouble | null): Promise<RunResult>
  signal: AbortSignal
}

const contextOf = ({ fn, caller, own, values, task }: RunSpec): string => {
  const { user, groups } = caller
  const { id, name, email, role } = user
  return JSON.stringify({
    user: { id, name, email, role, groups: [...groups] },
    settings: effectiveValues(fn.manifest, values),
    model: { id: task, name: own },
  })
}

const ok = { outcome: "ok", message: null, line: null, column: null } as const

/** Starts runs in the sandbox and records their results. */
export const createRunner = (deps: Deps) => {
  const { wall, enter, runs, newId, now } = deps

  const open = async (spec: RunSpec, signal: AbortSignal): Promise<Run | { error: Trouble }> => {
    const { fn, caller, task, trial = false } = spec
    if (spec.above.length > maxDepth) {
      const message = `Functions cannot call each other more than ${maxDepth} levels deep`
      return { error: trouble("denied", message) }
    }
    const missing = missingValues(fn.manifest, effectiveValues(fn.manifest, spec.values))
    if (missing.length > 0) {
      const message = `Required settings are missing: ${missing.join(", ")}. Ask an administrator to set them`
      return { error: trouble("denied", message) }
    }
    const leave = await enter(fn.id, caller.user.id, signal)
    const startedAt = performance.now()
    const over = new AbortController()
    const kept: LogLine[] = []
    let firstAt: number | null = null
    let outputBytes = 0
    let session: Session
    try {
      session = await wall.open({
        name: fn.id,
        code: fn.code,
        json: contextOf(spec),
        hears: {
          out: (pieces) => {
            firstAt ??= performance.now()
            for (const piece of pieces) outputBytes += piece.length
            return spec.out?.(pieces) ?? true
          },
          log: (lines) => {
            kept.push(...lines.slice(0, maxKeptLines - kept.length))
            spec.log?.(lines)
          },
          call: createCapabilities(deps, {
            ...spec,
            functionId: fn.id,
            hosts: fn.hosts,
            signal: over.signal,
          }),
        },
      })
    } catch (error) {
      leave()
      throw error
    }
    const cancel = (): void => session.cancel()
    signal.addEventListener("abort", cancel)
    if (signal.aborted) cancel()
    void session.over.then(() => {
      signal.removeEventListener("abort", cancel)
      over.abort()
      leave()
    })

    const keep = (result: RunResult): void => {
      const run: FunctionRun = {
        ...result,
        id: newId(),
        function_id: fn.id,
        version: fn.version,
        task,
        user_id: caller.user.id,
        trial,
        log: kept,
        created_at: now(),
      }
      // Test runs of a function that was never saved are not recorded.
      if (fn.version > 0) runs.record(run)
    }

    return {
      signal: over.signal,
      invoke: async (name, args) => {
        // Sent without waiting; the isolate queues it until the module is loaded.
        const result = session.invoke(name, args)
        const loaded = await session.loaded
        return "error" in loaded ? loaded : result
      },
      room: () => session.room(),
      cancel,
      finish: async (why) => {
        session.finish()
        const { cpuMs, memoryBytes } = await session.over
        const { outcome, message, line, column } = why ?? ok
        const result: RunResult = {
          ...{ outcome, message, line, column },
          duration_ms: Math.round(performance.now() - startedAt),
          first_output_ms: firstAt === null ? null : Math.round(firstAt - startedAt),
          cpu_ms: Math.round(cpuMs),
          memory_bytes: memoryBytes,
          output_bytes: outputBytes,
        }
        keep(result)
        return result
      },
    }
  }

  return { open }
}

export type Runner = ReturnType<typeof createRunner>
