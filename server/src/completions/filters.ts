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

/** A model goes by its own name and by those of all that it rests on. */
const namesOf = ({ id, workspace }: Resolved): string[] => [
  id,
  ...workspace.map(({ base_model_id }) => base_model_id),
]

/** What hears, with the filters before it. */
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
      // Ended from our side: whoever hears has the last word, and cancels the rest.
      stop: (outcome, failure) => inner.stop(outcome, failure),
      ...(inner.cited && { cited: (cited) => inner.cited?.(cited) }),
    }
  }

/** The request with all that its model brings along, so that filters see what the provider would. */
const laidOut = (request: ModelRequest, { workspace }: Resolved): Record<string, unknown> => {
  // As if it were not streamed: the usage that is asked for on our own behalf comes in later.
  refuseUnparsable(request.bytes)
  const body = bodyFor({ ...request, streamed: false }, workspace, request.model)
  return JSON.parse(body.toString("utf8"))
}

type Dispatch = (
  request: ModelRequest,
  resolved: Resolved,
  within: (hear: Hear) => Hear,
) => Promise<void>

/** @param refused told why filters let a request no further, and throws it on */
type Around = (
  signal: AbortSignal,
  refused: (error: unknown) => never,
  dispatch: Dispatch,
) => Promise<void>

/** Has filters look at chats on their way, where any stand before the model that is asked. */
export const createFiltering = ({ directory, chains }: Deps) => ({
  /** Null where none are attached: then nothing is touched. */
  around: (resolved: Resolved, { caller, request, book }: Asking): Around | null => {
    const { above = [], operation } = request
    // A filter's own requests do not pass it again.
    const filters = directory.filtersOf(namesOf(resolved)).filter(({ id }) => !above.includes(id))
    if (filters.length === 0 || operation === "embeddings") return null
    return async (signal, refused, dispatch) => {
      if (operation !== "chat/completions") {
        const message = `Filters stand before "${resolved.id}": it answers chat completions only`
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
