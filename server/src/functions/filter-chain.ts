import { type FunctionError, functionError } from "@portico/sandbox"
import { Failure } from "../errors.ts"
import { type Fields, isObject, objectOf } from "../formats/json-values.ts"
import { toFunctionFailure } from "./function-responder.ts"
import type { RequestOrigin } from "./host-services.ts"
import type { Run, Runner } from "./runner.ts"
import type { StoredFunction } from "./store.ts"

interface FilterStage {
  fn: StoredFunction
  run: Run
  error: FunctionError | null
}

type FilterHook = "before" | "chunk" | "after"

const hasHook = ({ fn }: FilterStage, hook: FilterHook): boolean =>
  fn.manifest.filter?.[hook] === true

const invoke = async (stage: FilterStage, hook: FilterHook, args: unknown): Promise<unknown> => {
  const result = await stage.run.invoke(hook, args)
  if ("value" in result) return result.value
  stage.error = result.error
  throw toFunctionFailure(stage.fn.name, result.error)
}

const fail = (stage: FilterStage, message: string): never => {
  stage.error = functionError("threw", message)
  throw toFunctionFailure(stage.fn.name, stage.error)
}

const runBeforeHook = async (stage: FilterStage, request: Fields): Promise<Fields> => {
  const changed = await invoke(stage, "before", { request })
  if (!isObject(changed) || !Array.isArray(changed.messages)) {
    return fail(stage, '"before" did not return a chat request with "messages"')
  }
  // The model must not change: the caller's access to it was already checked. Only functions with
  // `reply` choose a model.
  return {
    ...changed,
    model: request.model,
    ...("stream" in request && { stream: request.stream }),
  }
}

const filterDeltas = async (
  stage: FilterStage,
  deltas: readonly (Fields | null)[],
): Promise<(Fields | null)[]> => {
  const given = deltas.filter((delta) => delta !== null)
  const changed = await invoke(stage, "chunk", { deltas: given })
  if (!Array.isArray(changed) || changed.length !== given.length) {
    return fail(stage, '"chunk" did not return a delta object or null')
  }
  let at = 0
  return deltas.map((delta) => {
    if (delta === null) return null
    const next: unknown = changed[at++]
    if (next !== null && !isObject(next))
      return fail(stage, '"chunk" did not return a delta object or null')
    return next
  })
}

/**
 * Passes a full response to a filter that only has `chunk`: the message as one delta, then the
 * `last` delta.
 */
const filterAsOneDelta = async (stage: FilterStage, reply: Fields): Promise<Fields> => {
  const choices: unknown[] = []
  for (const choice of Array.isArray(reply.choices) ? reply.choices : []) {
    const message = objectOf(choice?.message)
    const last = { content: "", last: true }
    const [own, rest] = await filterDeltas(stage, [message, last])
    const text = [own?.content, rest?.content].filter((part) => typeof part === "string").join("")
    choices.push({
      ...choice,
      message: { ...message, ...own, content: text || (own?.content ?? null) },
    })
  }
  return { ...reply, choices }
}

const filterResponse = async (stage: FilterStage, reply: Fields): Promise<Fields> => {
  if (!hasHook(stage, "after"))
    return hasHook(stage, "chunk") ? filterAsOneDelta(stage, reply) : reply
  const changed = await invoke(stage, "after", { reply })
  return isObject(changed) && Array.isArray(changed.choices)
    ? changed
    : fail(stage, '"after" did not return a completion with "choices"')
}

/**
 * The filters applied to one request; each runs in its own isolate for the length of the request.
 * Responses pass them in reverse order.
 */
export class FilterChain {
  readonly #stages: readonly FilterStage[]

  constructor(stages: readonly FilterStage[]) {
    this.#stages = stages
  }

  /** Whether any filter reads the response. */
  get readsResponse(): boolean {
    return this.#stages.some((stage) => hasHook(stage, "chunk") || hasHook(stage, "after"))
  }

  /** Whether streamed responses must be buffered until they are complete. */
  get needsFullResponse(): boolean {
    return this.#stages.some((stage) => hasHook(stage, "after") && !hasHook(stage, "chunk"))
  }

  /** Returns the request as it will be sent to the model. @throws {Failure} */
  async before(request: Fields): Promise<Fields> {
    let changed = request
    for (const stage of this.#stages)
      if (hasHook(stage, "before")) changed = await runBeforeHook(stage, changed)
    return changed
  }

  /** Returns the deltas as they will be sent to the client; null drops one. @throws {Failure} */
  async chunk(deltas: readonly Fields[]): Promise<(Fields | null)[]> {
    let changed: (Fields | null)[] = [...deltas]
    for (const stage of this.#stages.toReversed())
      if (hasHook(stage, "chunk")) changed = await filterDeltas(stage, changed)
    return changed
  }

  /**
   * Returns the full response after all filters; a filter with only `chunk` gets it as one delta.
   * @throws {Failure}
   */
  async after(reply: Fields): Promise<Fields> {
    let changed = reply
    for (const stage of this.#stages.toReversed()) changed = await filterResponse(stage, changed)
    return changed
  }

  cancel(): void {
    for (const { run } of this.#stages) run.cancel()
  }

  async close(): Promise<void> {
    await Promise.all(this.#stages.map(({ run, error }) => run.finish(error)))
  }
}

/** Starts the filters of a model. @throws {Failure} if a filter cannot be started */
export type FilterChains = (
  filters: readonly StoredFunction[],
  origin: RequestOrigin,
  signal: AbortSignal,
) => Promise<FilterChain>

export const createFilterChains =
  (runner: Runner): FilterChains =>
  async (filters, origin, signal) => {
    const stages: FilterStage[] = []
    const chain = new FilterChain(stages)
    try {
      for (const fn of filters) {
        const spec = { ...origin, fn, values: fn.values, task: "filter", localModelId: null }
        const run = await runner.open(spec, signal)
        if ("error" in run) throw toFunctionFailure(fn.name, run.error)
        stages.push({ fn, run, error: null })
      }
      return chain
    } catch (error) {
      void chain.close()
      throw error instanceof Failure
        ? error
        : new Failure("internal", "A filter could not be started.")
    }
  }
