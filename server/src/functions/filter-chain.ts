import { Failure } from "../errors.ts"
import { type Fields, isObject } from "../formats/json-values.ts"
import { failureFor } from "./function-model.ts"
import type { Asker } from "./host-services.ts"
import type { Run, Runner } from "./runner.ts"
import { type Trouble, trouble } from "./sandbox/session.ts"
import type { StoredFunction } from "./store.ts"

interface Link {
  fn: StoredFunction
  run: Run
  why: Trouble | null
}

type Hook = "before" | "chunk" | "after"

const has = ({ fn }: Link, hook: Hook): boolean => fn.manifest.filter?.[hook] === true

/**
 * The filters applied to one request; each runs in its own isolate for the length of the request.
 */
export interface FilterChain {
  /** Returns the request as it will be sent to the model. @throws {Failure} */
  before(request: Fields): Promise<Fields>
  /** Returns the deltas as they will be sent to the client; null drops one. @throws {Failure} */
  chunk(deltas: readonly Fields[]): Promise<(Fields | null)[]>
  /**
   * Returns the full response after all filters; a filter with only `chunk` gets it as one delta.
   * @throws {Failure}
   */
  after(reply: Fields): Promise<Fields>
  /** Whether any filter reads the response. */
  looksAtReply: boolean
  /** Whether streamed responses must be buffered until they are complete. */
  needsWhole: boolean
  cancel(): void
  close(): Promise<void>
}

const invoke = async (link: Link, hook: Hook, args: unknown): Promise<unknown> => {
  const result = await link.run.invoke(hook, args)
  if ("value" in result) return result.value
  link.why = result.error
  throw failureFor(link.fn.name, result.error)
}

const wrong = (link: Link, message: string): never => {
  link.why = trouble("threw", message)
  throw failureFor(link.fn.name, link.why)
}

const changedRequest = async (link: Link, request: Fields): Promise<Fields> => {
  const changed = await invoke(link, "before", { request })
  if (!isObject(changed) || !Array.isArray(changed.messages)) {
    return wrong(link, '"before" did not return a chat request with "messages"')
  }
  // The model must not change: the caller's access to it was already checked. Only functions with
  // `reply` choose a model.
  return {
    ...changed,
    model: request.model,
    ...("stream" in request && { stream: request.stream }),
  }
}

const changedDeltas = async (
  link: Link,
  deltas: readonly (Fields | null)[],
): Promise<(Fields | null)[]> => {
  const given = deltas.filter((delta) => delta !== null)
  const changed = await invoke(link, "chunk", { deltas: given })
  if (!Array.isArray(changed) || changed.length !== given.length) {
    return wrong(link, '"chunk" did not return a delta object or null')
  }
  let at = 0
  return deltas.map((delta) => {
    if (delta === null) return null
    const next: unknown = changed[at++]
    if (next !== null && !isObject(next))
      return wrong(link, '"chunk" did not return a delta object or null')
    return next
  })
}

/**
 * Passes a full response to a filter that only has `chunk`: the message as one delta, then the
 * `last` delta.
 */
const inOnePiece = async (link: Link, reply: Fields): Promise<Fields> => {
  const choices: unknown[] = []
  for (const choice of Array.isArray(reply.choices) ? reply.choices : []) {
    const message = isObject(choice?.message) ? choice.message : {}
    const last = { content: "", last: true }
    const [own, rest] = await changedDeltas(link, [message, last])
    const text = [own?.content, rest?.content].filter((part) => typeof part === "string").join("")
    choices.push({
      ...choice,
      message: { ...message, ...own, content: text || (own?.content ?? null) },
    })
  }
  return { ...reply, choices }
}

const changedReply = async (link: Link, reply: Fields): Promise<Fields> => {
  if (!has(link, "after")) return has(link, "chunk") ? inOnePiece(link, reply) : reply
  const changed = await invoke(link, "after", { reply })
  return isObject(changed) && Array.isArray(changed.choices)
    ? changed
    : wrong(link, '"after" did not return a completion with "choices"')
}

/** Starts the filters of a model. @throws {Failure} if a filter cannot be started */
export const createFilterChains =
  (runner: Runner) =>
  async (
    filters: readonly StoredFunction[],
    asker: Asker,
    signal: AbortSignal,
  ): Promise<FilterChain> => {
    const links: Link[] = []
    const close = async (): Promise<void> => {
      await Promise.all(links.map(({ run, why }) => run.finish(why)))
    }
    try {
      for (const fn of filters) {
        const spec = { ...asker, fn, values: fn.values, task: "filter", own: null }
        const run = await runner.open(spec, signal)
        if ("error" in run) throw failureFor(fn.name, run.error)
        links.push({ fn, run, why: null })
      }
    } catch (error) {
      void close()
      throw error instanceof Failure
        ? error
        : new Failure("internal", "A filter could not be started.")
    }
    const outwards = links.toReversed()

    return {
      looksAtReply: links.some((link) => has(link, "chunk") || has(link, "after")),
      needsWhole: links.some((link) => has(link, "after") && !has(link, "chunk")),

      before: async (request) => {
        let changed = request
        for (const link of links)
          if (has(link, "before")) changed = await changedRequest(link, changed)
        return changed
      },

      chunk: async (deltas) => {
        let changed: (Fields | null)[] = [...deltas]
        for (const link of outwards)
          if (has(link, "chunk")) changed = await changedDeltas(link, changed)
        return changed
      },

      after: async (reply) => {
        let changed = reply
        for (const link of outwards) changed = await changedReply(link, changed)
        return changed
      },

      cancel: () => {
        for (const { run } of links) run.cancel()
      },
      close,
    }
  }

export type FilterChains = ReturnType<typeof createFilterChains>
