import { fail } from "../errors.ts"
import { type Fields, objectsIn, textOf } from "../formats/json-values.ts"
import { failWrongType } from "../formats/request-parts.ts"
import { checkInput } from "../formats/responses/check-request.ts"
import { withoutCompacted } from "../formats/responses/compaction.ts"
import { toItems } from "../formats/responses/input-items.ts"
import { isLarge } from "../http/body-buffer.ts"
import type { ReserveMemory } from "../http/body-memory.ts"
import { parseAllFields } from "../http/json-object.ts"
import {
  maxResponseBytes,
  measureInput,
  type ResponseInput,
} from "../stored-responses/new-response.ts"
import { ReadBudget } from "../stored-responses/read-budget.ts"
import type { StoredResponses } from "../stored-responses/stored-responses.ts"
import { replaceFields } from "./pass-through-request.ts"
import type { ModelRequest } from "./request.ts"
import type { RequestConversion } from "./request-conversion.ts"

/** A request of the Responses API that refers to nothing stored. */
export interface ResolvedRequest {
  request: ModelRequest
  /** The request's own items, without those of earlier responses. */
  newItems: ResponseInput
  /** Those of its items that were stored: its history, and what it refers to. */
  storedItems: ReadonlySet<unknown>
  /** Whether the response is to be stored. */
  isStored: boolean
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

const isToBeStored = ({ operation, fields }: ModelRequest): boolean =>
  operation === "responses" && fields.store !== false

const checkStorableSize = ({ bytes, operation }: ModelRequest): void => {
  if (bytes.length <= maxResponseBytes || operation === "responses/compact") return
  const message = `A request of more than ${maxResponseBytes / 1e6} MB cannot be stored. Set "store" to false.`
  fail("body_too_large", message, { param: "store" })
}

/**
 * Replaces what a request refers to by the items themselves, so that any model can answer it, and no
 * provider has to store anything.
 */
export const createReferenceResolver = (
  stored: Pick<StoredResponses, "readHistory" | "resolveReferences" | "checkInputLimits">,
  conversion: Pick<RequestConversion, "serializeItems">,
) => {
  const readHistory = async (
    userId: string,
    responseId: string,
    budget: ReadBudget,
  ): Promise<readonly Fields[]> =>
    withoutCompacted(await stored.readHistory(userId, responseId, budget))

  const replaceReferences = async (
    userId: string,
    request: ModelRequest,
    budget: ReadBudget,
  ): Promise<ResolvedRequest> => {
    const storedItems = new Set<unknown>()
    const { fields } = parseAllFields(request)
    const isStored = isToBeStored(request)
    const resolved = await stored.resolveReferences(userId, toItems(fields.input), budget)
    const { items: newItems, storedSizes } = resolved
    if (isStored) await stored.checkInputLimits(userId, measureInput(newItems, storedSizes))
    const hasReferences = objectsIn(fields.input).some(({ type }) => type === "item_reference")
    const previous = textOf(fields.previous_response_id)
    if (previous === "" && !hasReferences) return { request, newItems, storedItems, isStored }
    checkInput(fields.input ?? [])
    const history = previous === "" ? [] : await readHistory(userId, previous, budget)
    for (const item of [...history, ...storedSizes.keys()]) storedItems.add(item)
    const { previous_response_id: _previous, ...rest } = fields
    const input = [...history, ...newItems]
    const standalone = replaceFields(request, { ...rest, input })
    return { request: standalone, newItems, storedItems, isStored }
  }

  return {
    /**
     * @returns the request itself if it refers to nothing
     * @throws {Failure} `previous_response_not_found`, `not_implemented`, `bad_request`, and
     *   `body_too_large` or `storage_limit` if its response cannot be stored, or that of `reserve`
     */
    resolve: async (
      userId: string,
      request: ModelRequest,
      { signal, reserve }: { signal: AbortSignal; reserve: ReserveMemory },
    ): Promise<ResolvedRequest> => {
      rejectUnsupported(request.fields)
      const storedItems = new Set<unknown>()
      const refersToNothing = isSelfContained(request)
      if (refersToNothing && !isToBeStored(request))
        return { request, newItems: [], storedItems, isStored: false }
      checkStorableSize(request)
      if (!(refersToNothing && isLarge(request.bytes)))
        return replaceReferences(userId, request, new ReadBudget(reserve))
      const newItems = await conversion.serializeItems({ userId, signal }, request)
      await stored.checkInputLimits(userId, newItems.bytes)
      return { request, newItems, storedItems, isStored: true }
    },
  }
}

export type ReferenceResolver = ReturnType<typeof createReferenceResolver>
