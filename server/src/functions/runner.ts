import {
  type FunctionError,
  functionError,
  type InvocationResult,
  type RunSession,
  type Sandbox,
} from "@portico/sandbox"
import { createSemaphore } from "../concurrency/semaphore.ts"
import { Failure } from "../errors.ts"
import { userIdOf } from "../http/caller.ts"
import type { GuardedFetch } from "../outbound/guarded-fetch.ts"
import { createHostCalls } from "./host-calls.ts"
import type { HostServices, RequestOrigin } from "./host-services.ts"
import type { KeyValueStore } from "./key-value-store.ts"
import type { FunctionRun, LogLine, RunResult } from "./run-schema.ts"
import type { RunStore } from "./run-store.ts"
import { effectiveValues, missingSettings } from "./setting-values.ts"
import type { SettingValues, StoredFunction } from "./store.ts"

const maxKeptLines = 200
/** Maximum depth of functions calling each other. */
const maxDepth = 4
/** Share of a function's slots that one user may hold; the rest is kept for other users. */
const maxShareOfOneUser = 0.8
const maxWaiting = 200
const maxWaitMs = 30_000

interface Deps {
  sandbox: Sandbox
  /** Maximum number of concurrent runs of one function. */
  maxConcurrent: number
  hostServices: () => HostServices
  keyValues: KeyValueStore
  guardedFetch: GuardedFetch
  runs: RunStore
  newId: () => string
  now: () => number
}

export interface RunSpec extends RequestOrigin {
  fn: Pick<StoredFunction, "id" | "name" | "version" | "code" | "manifest" | "hosts">
  values: SettingValues
  /** What the function is called for: a model's id, or `filter`. */
  task: string
  /** The id that the module gives the model; null if it exports a single model. */
  localModelId: string | null
  trial?: boolean
  /** Receives JSON texts; return false to pause the output until `resumeOutput`. */
  onOutput?: (pieces: string[]) => boolean
  onLog?: (lines: LogLine[]) => void
}

/** A function running for one request. */
export interface Run {
  invoke(task: string, args: unknown): Promise<InvocationResult>
  resumeOutput(): void
  cancel(): void
  /** Ends and records the run; `error` is null if it succeeded. */
  finish(error: FunctionError | null): Promise<RunResult>
}

const contextOf = ({ fn, caller, localModelId, values, task }: RunSpec): string => {
  const { user, groups } = caller
  const { id, name, email, role } = user
  return JSON.stringify({
    user: { id, name, email, role, groups: [...groups] },
    settings: effectiveValues(fn.manifest, values),
    model: { id: task, name: localModelId },
  })
}

const ok = { outcome: "ok", message: null, line: null, column: null } as const

const functionBusyFailure = (id: string): Failure =>
  new Failure("rate_limited", `The function "${id}" is busy. Try again shortly.`, {
    headers: { "retry-after": "5" },
  })

/** Starts runs in the sandbox and records their results. */
export const createRunner = (deps: Deps) => {
  const { sandbox, maxConcurrent, runs, newId, now } = deps
  const semaphore = createSemaphore({
    maxConcurrent,
    maxConcurrentPerKey: Math.max(1, Math.floor(maxConcurrent * maxShareOfOneUser)),
    queue: {
      maxWaiting,
      maxWaitingPerKey: maxWaiting,
      maxWaitMs,
      createBusyError: functionBusyFailure,
    },
  })

  const open = async (
    spec: RunSpec,
    signal: AbortSignal,
  ): Promise<Run | { error: FunctionError }> => {
    const { fn, caller, task, trial = false } = spec
    if (spec.callingFunctions.length > maxDepth) {
      const message = `Functions cannot call each other more than ${maxDepth} levels deep`
      return { error: functionError("denied", message) }
    }
    const missing = missingSettings(fn.manifest, effectiveValues(fn.manifest, spec.values))
    if (missing.length > 0) {
      const message = `Required settings are missing: ${missing.join(", ")}. Ask an administrator to set them`
      return { error: functionError("denied", message) }
    }
    const release = await semaphore.acquire({ pool: fn.id, key: caller.user.id, signal })
    const startedAt = performance.now()
    const ended = new AbortController()
    const logLines: LogLine[] = []
    let firstOutputAt: number | null = null
    let outputBytes = 0
    let session: RunSession
    try {
      session = await sandbox.open({
        name: fn.id,
        code: fn.code,
        json: contextOf(spec),
        listener: {
          onOutput: (pieces) => {
            firstOutputAt ??= performance.now()
            for (const piece of pieces) outputBytes += piece.length
            return spec.onOutput?.(pieces) ?? true
          },
          onLog: (lines) => {
            logLines.push(...lines.slice(0, maxKeptLines - logLines.length))
            spec.onLog?.(lines)
          },
          onHostCall: createHostCalls(deps, {
            ...spec,
            functionId: fn.id,
            hosts: fn.hosts,
            signal: ended.signal,
          }),
        },
      })
    } catch (error) {
      release()
      throw error
    }
    const cancel = (): void => session.cancel()
    signal.addEventListener("abort", cancel)
    if (signal.aborted) cancel()
    void session.ended.then(() => {
      signal.removeEventListener("abort", cancel)
      ended.abort()
      release()
    })

    const record = (result: RunResult): void => {
      const run: FunctionRun = {
        ...result,
        id: newId(),
        function_id: fn.id,
        version: fn.version,
        task,
        user_id: userIdOf(caller) ?? "",
        trial,
        log: logLines,
        created_at: now(),
      }
      // Test runs of a function that was never saved are not recorded.
      if (fn.version > 0) runs.record(run)
    }

    return {
      invoke: async (name, args) => {
        // Sent without waiting; the isolate queues it until the module is loaded.
        const result = session.invoke(name, args)
        const loaded = await session.loaded
        return "error" in loaded ? loaded : result
      },
      resumeOutput: () => session.resumeOutput(),
      cancel,
      finish: async (error) => {
        session.finish()
        const { cpuMs, memoryBytes } = await session.ended
        const { outcome, message, line, column } = error ?? ok
        const result: RunResult = {
          ...{ outcome, message, line, column },
          duration_ms: Math.round(performance.now() - startedAt),
          first_output_ms: firstOutputAt === null ? null : Math.round(firstOutputAt - startedAt),
          cpu_ms: Math.round(cpuMs),
          memory_bytes: memoryBytes,
          output_bytes: outputBytes,
        }
        record(result)
        return result
      },
    }
  }

  return { open }
}

export type Runner = ReturnType<typeof createRunner>
