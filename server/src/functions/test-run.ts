import { randomUUID } from "node:crypto"
import { Failure } from "../errors.ts"
import { type Fields, isObject } from "../formats/json-values.ts"
import type { Caller } from "../http/caller.ts"
import { givenBy, noReply } from "./function-model.ts"
import { modelsOf } from "./function-registry.ts"
import type { Functions } from "./functions.ts"
import type { Abilities, Asker } from "./host-services.ts"
import { createModelCalls } from "./model-calls.ts"
import type { RunResult, TrialRun } from "./run-schema.ts"
import type { Run, Runner, RunSpec } from "./runner.ts"
import { type Trouble, trouble } from "./sandbox/session.ts"
import { secretMask } from "./schema.ts"
import type { StoredFunction, Values } from "./store.ts"
import type { CheckSource } from "./validation.ts"

/** Sends one event to the client; for event names see docs/api.md. */
export type Tell = (name: string, data: unknown) => void

interface Listener {
  tell: Tell
  signal: AbortSignal
}

interface Deps {
  abilities: Abilities
  functions: Functions
  check: CheckSource
  runner: Runner
}

const nothingRun: Omit<RunResult, "outcome" | "message" | "line" | "column"> = {
  duration_ms: 0,
  first_output_ms: null,
  cpu_ms: 0,
  memory_bytes: 0,
  output_bytes: 0,
}

const deltaOf = (piece: unknown): Fields => (isObject(piece) ? piece : { content: String(piece) })

const valuesFor = (stored: Values, given: TrialRun["values"]): Values => {
  const values: Values = { ...stored }
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === secretMask) continue
    if (value === null) delete values[name]
    else values[name] = value
  }
  return values
}

/** Splits the response into one delta per word. */
const wordsOf = (reply: string): string[] => reply.match(/\S+\s*/g) ?? [reply]

/** Runs a saved or unsaved source once for its author and streams the results. */
export const createTrial = ({ abilities, functions, check, runner }: Deps) => {
  /** The stored function with the overrides of the test run applied. */
  const subjectOf = async (id: string, trial: TrialRun): Promise<StoredFunction> => {
    const stored = await functions.find(id)
    if (trial.content === undefined) return stored ?? functions.known(id)
    const { code, manifest } = await check.orFail(trial.content)
    const base: StoredFunction = stored ?? {
      ...{ id, name: id, user_id: "", version: 0, is_active: true, code, manifest, values: {} },
      ...{ meta: { description: "", tags: [] }, hosts: [], filter_models: [], filter_order: 0 },
      ...{ access_grants: [], created_at: 0, updated_at: 0 },
    }
    return { ...base, code, manifest }
  }

  /** Streams the response of the model that the function delegated to. */
  const tellCall = async (
    call: Fields,
    asker: Asker,
    { tell, signal }: Listener,
  ): Promise<void> => {
    tell("request", { request: call })
    if (signal.aborted) return
    const calls = createModelCalls(abilities, asker)
    signal.addEventListener("abort", calls.cancelAll)
    const { stream } = calls.open(call)
    for (let done = false; !done; ) {
      const read = await calls.next(stream)
      for (const piece of read.pieces) tell("delta", piece)
      done = read.done
    }
  }

  const tellWhole = ({ choices, ...rest }: Fields, tell: Tell): void => {
    const [first] = Array.isArray(choices) ? choices : []
    tell("delta", { ...(isObject(first?.message) ? first.message : {}), ...rest })
  }

  const tryModel = async (
    run: Run,
    request: Fields,
    { asker, ...listener }: Listener & { asker: Asker },
  ): Promise<Trouble | null> => {
    const result = await run.invoke("reply", { request })
    if ("error" in result) return result.error
    const given = givenBy(result.value)
    if (given === null) return noReply
    if ("text" in given) listener.tell("delta", { content: given.text })
    else if ("whole" in given) tellWhole(given.whole, listener.tell)
    else if ("call" in given) await tellCall(given.call, asker, listener)
    return null
  }

  const tryChunks = async (run: Run, reply: string, tell: Tell): Promise<Trouble | null> => {
    const deltas = [...wordsOf(reply).map((content) => ({ content })), { content: "", last: true }]
    const result = await run.invoke("chunk", { deltas })
    if ("error" in result) return result.error
    for (const delta of Array.isArray(result.value) ? result.value : []) {
      if (delta !== null) tell("delta", deltaOf(delta))
    }
    return null
  }

  const tryAfter = async (run: Run, reply: string, tell: Tell): Promise<Trouble | null> => {
    const message = { role: "assistant", content: reply }
    const completion = { choices: [{ index: 0, message, finish_reason: "stop" }] }
    const result = await run.invoke("after", { reply: completion })
    if ("error" in result) return result.error
    if (isObject(result.value)) tellWhole(result.value, tell)
    return null
  }

  const tryFilter = async (
    run: Run,
    { manifest }: StoredFunction,
    { trial, tell }: { trial: TrialRun; tell: Tell },
  ): Promise<Trouble | null> => {
    if (manifest.filter?.before) {
      const result = await run.invoke("before", { request: trial.request })
      if ("error" in result) return result.error
      tell("request", { request: result.value })
    }
    if (manifest.filter?.chunk) return tryChunks(run, trial.reply, tell)
    return manifest.filter?.after ? tryAfter(run, trial.reply, tell) : null
  }

  return {
    /**
     * Runs before the response is started.
     * @throws {Failure} if the function cannot be run at all
     */
    prepare: async (id: string, trial: TrialRun) => {
      const subject = await subjectOf(id, trial)
      const fn = { ...subject, ...(trial.hosts && { hosts: trial.hosts }) }
      const models = modelsOf(fn)
      const model = models.find((one) => one.id === trial.model || one.own === trial.model)
      return { fn, model: model ?? models[0] ?? null, values: valuesFor(fn.values, trial.values) }
    },

    /** Emits events, always ending with `result`. */
    run: async (
      {
        fn,
        model,
        values,
      }: { fn: StoredFunction; model: { id: string; own: string | null } | null; values: Values },
      {
        trial,
        caller,
        tell,
        signal,
      }: { trial: TrialRun; caller: Caller; tell: Tell; signal: AbortSignal },
    ): Promise<void> => {
      const models = modelsOf(fn).map(({ id }) => id)
      tell("started", { models, filter: fn.manifest.filter })
      const spec: RunSpec = {
        ...{ fn, values, caller, requestId: randomUUID(), above: [], trial: true },
        task: model?.id ?? "filter",
        own: model?.own ?? null,
        out: (pieces) => {
          for (const piece of pieces) tell("delta", deltaOf(JSON.parse(piece)))
          return true
        },
        log: (lines) => {
          for (const line of lines) tell("log", line)
        },
      }
      const told = ({ outcome, message, line, column }: Trouble): RunResult => ({
        ...{ outcome, message, line, column },
        ...nothingRun,
      })
      try {
        const opened = await runner.open(spec, signal)
        if ("error" in opened) return tell("result", told(opened.error))
        const request = { model: model?.id ?? "", ...trial.request }
        const why = model
          ? await tryModel(opened, request, { asker: { ...spec, above: [fn.id] }, tell, signal })
          : await tryFilter(opened, fn, { trial, tell })
        tell("result", await opened.finish(why))
      } catch (error) {
        const message = error instanceof Failure ? error.message : "An internal error occurred"
        tell("result", told(trouble("threw", message)))
      }
    },
  }
}

export type Trial = ReturnType<typeof createTrial>
