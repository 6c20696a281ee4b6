import type { Logger } from "pino"
import { Failure, type FailureCode } from "../errors.ts"
import { createId } from "../formats/responses/items.ts"
import type { Caller } from "../http/caller.ts"
import type { RequestContext } from "../http/request-context.ts"
import type { AnsweredRequest, ResponseInput } from "../stored-responses/new-response.ts"
import type { StoredResponses } from "../stored-responses/stored-responses.ts"
import type { ModelRequest } from "./request.ts"

/** Stores the response to one request. */
export interface ResponseStorage {
  /**
   * Members of the response that depend on the gateway. It has an id of its own, because providers
   * may repeat theirs.
   */
  members: { id: string; store: true; previous_response_id: unknown }
  /**
   * Resolves when the response is stored durably, or to false if it exceeds a limit: the client paid
   * for it, and gets it anyway.
   */
  save: (response: AnsweredRequest["response"]) => Promise<boolean>
}

interface Deps {
  storedResponses: Pick<StoredResponses, "save">
  log: Pick<Logger, "warn">
}

export interface StoredRequest {
  exchange: RequestContext
  caller: Caller
  received: ModelRequest
  /** The items to store with the response. */
  input: ResponseInput
}

const limitCodes = new Set<FailureCode>(["body_too_large", "storage_limit"])

const isOverLimit = (error: unknown): error is Failure =>
  error instanceof Failure && limitCodes.has(error.code)

export const createResponseStorage =
  ({ storedResponses, log }: Deps) =>
  ({ exchange, caller, received, input }: StoredRequest): ResponseStorage => {
    const { previous_response_id = null } = received.fields
    return {
      members: { id: createId("resp"), store: true, previous_response_id },
      save: async (response) => {
        try {
          await storedResponses.save(caller.user.id, { response, input })
          return true
        } catch (error) {
          if (!isOverLimit(error)) throw error
          const { message: reason } = error
          const fields = { request_id: exchange.requestId, user: caller.user.id, reason }
          log.warn(fields, "Response not stored")
          return false
        }
      },
    }
  }
