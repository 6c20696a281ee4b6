import { Failure } from "../errors.ts"
import type { FilterChains } from "../functions/filter-chain.ts"
import { Filtered } from "../functions/filtered-response.ts"
import type { Directory } from "../functions/function-registry.ts"
import type { Caller } from "../http/caller.ts"
import { members } from "../http/json-members.ts"
import { refuseUnparsable } from "../http/json-object.ts"
import type { Resolved } from "../models/catalogue.ts"
import type { Hear, Hearing } from "./dispatch.ts"
import type { ModelRequest } from "./request.ts"
import { bodyFor } from "./request-body.ts"

interface Deps {
  directory: Directory
  chains: FilterChains
}

interface Asking {
  caller: Caller
  request: ModelRequest
  book: { requestId: string }
}

/** Filters can be attached to the model itself and to every model that it is based on. */
const namesOf = ({ id, workspace }: Resolved): string[] => [
  id,
  ...workspace.map(({ base_model_id }) => base_model_id),
]

/** Creates consumers whose input passes through the filters first. */
const behind =
  (hear: Hear, wrap: (inner: Hearing) => Filtered): Hear =>
  (meter, over) => {
    const inner = hear(meter, over)
    const filtered = wrap(inner)
    return {
      chosen: (upstream) => filtered.chosen(upstream),
      head: (...told) => filtered.head(...told),
      data: (chunk) => filtered.data(chunk),
      end: () => filtered.end(),
      broke: (error) => filtered.broke(error),
      follow: (flow) => filtered.follow(flow),
      // Stopped by the gateway: the inner consumer sends the error and cancels the request.
      stop: (outcome, failure) => inner.stop(outcome, failure),
      ...(inner.cited && { cited: (cited) => inner.cited?.(cited) }),
    }
  }

/**
 * The request with the workspace models' defaults applied: filters see what the provider would get.
 */
const laidOut = (request: ModelRequest, { workspace }: Resolved): Record<string, unknown> => {
  // As if not streamed: the gateway's own `include_usage` is added after the filters.
  refuseUnparsable(request.bytes)
  const body = bodyFor({ ...request, streamed: false }, workspace, request.model)
  return JSON.parse(body.toString("utf8"))
}

type Dispatch = (
  request: ModelRequest,
  resolved: Resolved,
  within: (hear: Hear) => Hear,
) => Promise<void>

/** @param reject called with the reason if a filter rejects the request; it rethrows the reason */
type Around = (
  signal: AbortSignal,
  refused: (error: unknown) => never,
  dispatch: Dispatch,
) => Promise<void>

/** Runs the filters that are attached to a model on its chat completions. */
export const createFiltering = ({ directory, chains }: Deps) => ({
  /** Null if no filters are attached; the request is then sent unchanged. */
  around: (resolved: Resolved, { caller, request, book }: Asking): Around | null => {
    const { above = [], operation } = request
    // Requests made by a filter bypass that filter.
    const filters = directory.filtersOf(namesOf(resolved)).filter(({ id }) => !above.includes(id))
    if (filters.length === 0 || operation === "embeddings") return null
    return async (signal, refused, dispatch) => {
      if (operation !== "chat/completions") {
        const message = `Model "${resolved.id}" has filters, which only support chat completions.`
        throw new Failure("bad_request", message, { param: "model" })
      }
      const asker = { caller, requestId: book.requestId, above }
      const chain = await chains(filters, asker, signal).catch(refused)
      try {
        const fields = await chain.before(laidOut(request, resolved)).catch(refused)
        const bytes = Buffer.from(JSON.stringify(fields))
        const { context: _context, ...rest } = request
        const changed = { ...rest, fields, bytes, members: members(bytes), scanned: null }
        await dispatch(changed, { ...resolved, workspace: [] }, (hear) =>
          behind(hear, (inner) => new Filtered(inner, chain)),
        )
      } finally {
        await chain.close()
      }
    }
  },
})

export type Filtering = ReturnType<typeof createFiltering>
