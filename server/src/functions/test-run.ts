import { randomUUID } from "node:crypto"
import { type FunctionError, functionError } from "@portico/sandbox"
import { Failure } from "../errors.ts"
import { type Fields, isObject, objectOf } from "../formats/json-values.ts"
import type { Caller } from "../http/caller.ts"
import { type FunctionModel, modelsOf } from "./function-registry.ts"
import { invalidReplyError, parseReplyResult } from "./function-responder.ts"
import type { Functions } from "./functions.ts"
import type { HostServices, RequestOrigin } from "./host-services.ts"
import { createModelCalls } from "./model-calls.ts"
import type { RunResult, TestRunRequest } from "./run-schema.ts"
import type { Run, Runner, RunSpec } from "./runner.ts"
import { secretMask } from "./schema.ts"
import type { SourceValidator } from "./source-validator.ts"
import type { SettingValues, StoredFunction } from "./store.ts"

/** Sends one event to the client; for event names see docs/api.md. */
export type SendTestEvent = (name: string, data: unknown) => void

interface EventListener {
  emit: SendTestEvent
  signal: AbortSignal
}

interface Deps {
  hostServices: () => HostServices
  functions: Functions
  validator: SourceValidator
  runner: Runner
}

interface PreparedRun {
  testRequest: TestRunRequest
  /** The function with the overrides of the test run applied. */
  fn: StoredFunction
  /** Null for a filter. */
  model: FunctionModel | null
  values: SettingValues
}

const noUsage: Omit<RunResult, "outcome" | "message" | "line" | "column"> = {
  duration_ms: 0,
  first_output_ms: null,
  cpu_ms: 0,
  memory_bytes: 0,
  output_bytes: 0,
}

const deltaOf = (piece: unknown): Fields => (isObject(piece) ? piece : { content: String(piece) })

const applyOverrides = (
  stored: SettingValues,
  overrides: TestRunRequest["values"],
): SettingValues => {
  const values: SettingValues = { ...stored }
  for (const [name, value] of Object.entries(overrides ?? {})) {
    if (value === secretMask) continue
    if (value === null) delete values[name]
    else values[name] = value
  }
  return values
}

/** Splits the response into one delta per word. */
const splitIntoWords = (reply: string): string[] => reply.match(/\S+\s*/g) ?? [reply]

/** Runs a saved or unsaved source once for its author and streams the results. */
export const createTestRuns = ({ hostServices, functions, validator, runner }: Deps) => {
  /** The stored function with the overrides of the test run applied. */
  const functionToRun = async (
    id: string,
    testRequest: TestRunRequest,
  ): Promise<StoredFunction> => {
    const stored = await functions.find(id)
    if (testRequest.content === undefined) return stored ?? functions.known(id)
    const { code, manifest } = await validator.validateOrFail(testRequest.content)
    const base: StoredFunction = stored ?? {
      ...{ id, name: id, user_id: "", version: 0, is_active: true, code, manifest, values: {} },
      ...{ meta: { description: "", tags: [] }, hosts: [], filter_models: [], filter_order: 0 },
      ...{ access_grants: [], created_at: 0, updated_at: 0 },
    }
    return { ...base, code, manifest }
  }

  /** Streams the response of the model that the function delegated to. */
  const streamModelResponse = async (
    call: Fields,
    origin: RequestOrigin,
    { emit, signal }: EventListener,
  ): Promise<void> => {
    emit("request", { request: call })
    if (signal.aborted) return
    const calls = createModelCalls(hostServices(), origin)
    signal.addEventListener("abort", calls.cancelAll)
    const { stream } = calls.openStream(call)
    for (let done = false; !done; ) {
      const read = await calls.readStream(stream)
      for (const piece of read.pieces) emit("delta", piece)
      done = read.done
    }
  }

  const emitCompletion = ({ choices, ...rest }: Fields, emit: SendTestEvent): void => {
    const [first] = Array.isArray(choices) ? choices : []
    emit("delta", { ...objectOf(first?.message), ...rest })
  }

  const tryModel = async (
    run: Run,
    request: Fields,
    { origin, ...listener }: EventListener & { origin: RequestOrigin },
  ): Promise<FunctionError | null> => {
    const result = await run.invoke("reply", { request })
    if ("error" in result) return result.error
    const reply = parseReplyResult(result.value)
    if (reply === null) return invalidReplyError
    if ("text" in reply) listener.emit("delta", { content: reply.text })
    else if ("whole" in reply) emitCompletion(reply.whole, listener.emit)
    else if ("call" in reply) await streamModelResponse(reply.call, origin, listener)
    return null
  }

  const tryChunks = async (
    run: Run,
    reply: string,
    emit: SendTestEvent,
  ): Promise<FunctionError | null> => {
    const deltas = [
      ...splitIntoWords(reply).map((content) => ({ content })),
      { content: "", last: true },
    ]
    const result = await run.invoke("chunk", { deltas })
    if ("error" in result) return result.error
    for (const delta of Array.isArray(result.value) ? result.value : []) {
      if (delta !== null) emit("delta", deltaOf(delta))
    }
    return null
  }

  const tryAfter = async (
    run: Run,
    reply: string,
    emit: SendTestEvent,
  ): Promise<FunctionError | null> => {
    const message = { role: "assistant", content: reply }
    const completion = { choices: [{ index: 0, message, finish_reason: "stop" }] }
    const result = await run.invoke("after", { reply: completion })
    if ("error" in result) return result.error
    if (isObject(result.value)) emitCompletion(result.value, emit)
    return null
  }

  const tryFilter = async (
    run: Run,
    { manifest }: StoredFunction,
    { testRequest, emit }: { testRequest: TestRunRequest; emit: SendTestEvent },
  ): Promise<FunctionError | null> => {
    if (manifest.filter?.before) {
      const result = await run.invoke("before", { request: testRequest.request })
      if ("error" in result) return result.error
      emit("request", { request: result.value })
    }
    if (manifest.filter?.chunk) return tryChunks(run, testRequest.reply, emit)
    return manifest.filter?.after ? tryAfter(run, testRequest.reply, emit) : null
  }

  return {
    /**
     * Runs before the response is started.
     * @throws {Failure} if the function cannot be run at all
     */
    prepare: async (id: string, testRequest: TestRunRequest): Promise<PreparedRun> => {
      const subject = await functionToRun(id, testRequest)
      const fn = { ...subject, ...(testRequest.hosts && { hosts: testRequest.hosts }) }
      const models = modelsOf(fn)
      const model = models.find(
        (one) => one.id === testRequest.model || one.localId === testRequest.model,
      )
      return {
        testRequest,
        fn,
        model: model ?? models[0] ?? null,
        values: applyOverrides(fn.values, testRequest.values),
      }
    },

    /** Emits events, always ending with `result`. */
    run: async (
      { testRequest, fn, model, values }: PreparedRun,
      { caller, emit, signal }: EventListener & { caller: Caller },
    ): Promise<void> => {
      const models = modelsOf(fn).map(({ id }) => id)
      emit("started", { models, filter: fn.manifest.filter })
      const spec: RunSpec = {
        ...{ fn, values, caller, requestId: randomUUID(), callingFunctions: [], trial: true },
        task: model?.id ?? "filter",
        localModelId: model?.localId ?? null,
        onOutput: (pieces) => {
          for (const piece of pieces) emit("delta", deltaOf(JSON.parse(piece)))
          return true
        },
        onLog: (lines) => {
          for (const line of lines) emit("log", line)
        },
      }
      const failedResult = ({ outcome, message, line, column }: FunctionError): RunResult => ({
        ...{ outcome, message, line, column },
        ...noUsage,
      })
      try {
        const opened = await runner.open(spec, signal)
        if ("error" in opened) return emit("result", failedResult(opened.error))
        const request = { model: model?.id ?? "", ...testRequest.request }
        const error = model
          ? await tryModel(opened, request, {
              origin: { ...spec, callingFunctions: [fn.id] },
              emit,
              signal,
            })
          : await tryFilter(opened, fn, { testRequest, emit })
        emit("result", await opened.finish(error))
      } catch (error) {
        const message = error instanceof Failure ? error.message : "An internal error occurred"
        emit("result", failedResult(functionError("threw", message)))
      }
    },
  }
}

export type TestRuns = ReturnType<typeof createTestRuns>
