import { fail } from "../../errors.ts"
import { type Fields, textOf } from "../../formats/json-values.ts"
import { failWrongType } from "../../formats/request-errors.ts"
import { smallBodyBytes } from "../../http/body-buffer.ts"
import type { ReserveMemory } from "../../http/body-memory.ts"
import { type Caller, isServiceKey } from "../../http/caller.ts"
import { ReadBudget } from "../../stored-responses/read-budget.ts"
import {
  maxResponseBytes,
  type SerializedInput,
} from "../../stored-responses/serialize-response.ts"
import type { StoredResponses } from "../../stored-responses/stored-responses.ts"
import { bodyTasks } from "../conversion/body-tasks.ts"
import type { BodyOwner } from "../conversion/body-thread.ts"
import type { BodyWork } from "../conversion/body-work.ts"
import type { ModelRequest } from "../request/model-request.ts"

/** A request of the Responses API that refers to nothing stored. */
export interface ResolvedRequest {
  request: ModelRequest
  /** The request's own items, without those of earlier responses; null if they are not stored. */
  storedItems: SerializedInput | null
  /** The positions of those of its items that were stored: its history, and what it refers to. */
  storedPositions: readonly number[]
}

const rejectUnsupported = ({ background, conversation, previous_response_id }: Fields): void => {
  if (typeof (previous_response_id ?? "") !== "string")
    failWrongType("previous_response_id", "a string")
  if (background === true) {
    fail("not_implemented", "Background responses are not supported. Leave out `background`.", {
      param: "background",
    })
  }
  if (conversation !== undefined && conversation !== null) {
    const message = "Conversations of OpenAI's API are not supported. Use `previous_response_id`."
    fail("not_implemented", message, { param: "conversation" })
  }
}

const referenceMark = Buffer.from('"item_reference"')

/** Whether a request refers to nothing stored. Such a request is not parsed here, and may be large. */
const isSelfContained = ({ bytes, fields }: ModelRequest): boolean =>
  textOf(fields.previous_response_id) === "" && !bytes.includes(referenceMark)

/** Nothing is stored for service keys: nobody could read it. */
const isToBeStored = (caller: Caller, { operation, fields }: ModelRequest): boolean =>
  operation.storesResponse && fields.store !== false && !isServiceKey(caller)

const checkStorableSize = ({ bytes }: ModelRequest): void => {
  if (bytes.length <= maxResponseBytes) return
  const message = `A request of more than ${maxResponseBytes / 1e6} MB cannot be stored. Set "store" to false.`
  fail("body_too_large", message, { param: "store" })
}

/**
 * Replaces what a request refers to by the items themselves, so that any model can answer it, and no
 * provider has to store anything.
 */
export const createReferenceResolver = (
  stored: Pick<StoredResponses, "readHistory" | "readItems" | "checkInputLimits">,
  { read, change }: Pick<BodyWork, "read" | "change">,
) => {
  /** The items of a request that refers to nothing. @throws {Failure} */
  const serializeItems = async (owner: BodyOwner, request: ModelRequest) => {
    const items = await read(owner, request, bodyTasks.serializeItems, undefined)
    await stored.checkInputLimits(owner.userId, items.bytes)
    return items
  }

  const expand = async (
    owner: BodyOwner,
    request: ModelRequest,
    { reserve, isStored }: { reserve: ReserveMemory; isStored: boolean },
  ): Promise<ResolvedRequest> => {
    const { userId } = owner
    const previous = textOf(request.fields.previous_response_id)
    const budget = new ReadBudget(reserve)
    const ids = await read(owner, request, bodyTasks.findReferences, undefined)
    const items = await stored.readItems(userId, ids, budget)
    const history = previous === "" ? [] : await stored.readHistory(userId, previous, budget)
    const input = { content: { history, items }, isStored }
    const isLarge = request.bytes.length + budget.bytes > smallBodyBytes
    const options = { input, isLarge }
    const expanded = await change(owner, request, bodyTasks.expandReferences, options)
    const { storedItems } = expanded
    if (storedItems) await stored.checkInputLimits(userId, storedItems.bytes)
    return expanded
  }

  return {
    /**
     * @returns the request itself if it refers to nothing
     * @throws {Failure} `previous_response_not_found`, `not_implemented`, `bad_request`, and
     *   `body_too_large` or `storage_limit` if its response cannot be stored, or that of `reserve`
     */
    resolve: async (
      caller: Caller,
      request: ModelRequest,
      { signal, reserve }: { signal: AbortSignal; reserve: ReserveMemory },
    ): Promise<ResolvedRequest> => {
      rejectUnsupported(request.fields)
      const owner = { userId: caller.user.id, signal }
      const isStored = isToBeStored(caller, request)
      if (isStored) checkStorableSize(request)
      if (!isSelfContained(request)) return expand(owner, request, { reserve, isStored })
      const storedItems = isStored ? await serializeItems(owner, request) : null
      return { request, storedItems, storedPositions: [] }
    },
  }
}

export type ReferenceResolver = ReturnType<typeof createReferenceResolver>
