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

/** The filters around one request, each in a machine that lasts as long as the request. */
export interface FilterChain {
  /** The request as the model is sent it. @throws {Failure} */
  before(request: Fields): Promise<Fields>
  /** Pieces of the reply as the client is sent them; null where one is dropped. @throws {Failure} */
  chunk(deltas: readonly Fields[]): Promise<(Fields | null)[]>
  /** The whole reply, for every filter in the form that it knows. @throws {Failure} */
  after(reply: Fields): Promise<Fields>
  /** Whether any looks at the reply. */
  looksAtReply: boolean
  /** Whether streams have to wait until they are whole. */
  needsWhole: boolean
  cancel(): void
  close(): Promise<void>
}

const invoke = async (link: Link, hook: Hook, args: unknown): Promise<unknown> => {
  const result = await link.run.invoke(hook, args)
  if ("value" in result) return result.value
  link.why = result.trouble
  throw failureFor(link.fn.name, result.trouble)
}

const wrong = (link: Link, message: string): never => {
  link.why = trouble("threw", message)
  throw failureFor(link.fn.name, link.why)
}

const changedRequest = async (link: Link, request: Fields): Promise<Fields> => {
  const changed = await invoke(link, "before", { request })
  if (!isObject(changed) || !Array.isArray(changed.messages)) {
    return wrong(link, '"before" gave no request')
  }
  // Whom it may ask was settled by the caller's grants; a model is chosen by functions with `reply`.
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
    return wrong(link, '"chunk" gave no delta')
  }
  let at = 0
  return deltas.map((delta) => {
    if (delta === null) return null
    const next: unknown = changed[at++]
    if (next !== null && !isObject(next)) return wrong(link, '"chunk" gave no delta')
    return next
  })
}

/** A whole reply for a filter that knows pieces only: each message is one, and then the last. */
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
    : wrong(link, '"after" gave no completion')
}

/** Begins the filters that stand before a model. @throws {Failure} when one cannot begin */
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
        if ("trouble" in run) throw failureFor(fn.name, run.trouble)
        links.push({ fn, run, why: null })
      }
    } catch (error) {
      void close()
      throw error instanceof Failure ? error : new Failure("internal", "A filter did not begin")
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
