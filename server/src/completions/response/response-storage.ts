import type { Logger } from "pino"
import type { UserLimits } from "../../concurrency/user-limits.ts"
import { Failure, type FailureCode } from "../../errors.ts"
import type { Fields } from "../../formats/json-values.ts"
import { createId } from "../../formats/responses/output-items.ts"
import type { Caller } from "../../http/caller.ts"
import { type RequestContext, whenClosed } from "../../http/request-context.ts"
import type { SerializedInput } from "../../stored-responses/serialize-response.ts"
import type { StoredResponses } from "../../stored-responses/stored-responses.ts"
import { bodyTasks } from "../conversion/body-tasks.ts"
import type { BodyThread } from "../conversion/body-thread.ts"
import type { ModelRequest } from "../request/model-request.ts"

/** Stores the response to one request. */
export interface ResponseStorage {
  /**
   * Members of the response that depend on the gateway. It has an id of its own, because providers
   * may repeat theirs.
   */
  members: { id: string; store: true; previous_response_id: unknown }
  /**
   * Stores a response, as an object or its JSON, with `members` in place of its own. Resolves when it is
   * stored durably, or to false if it exceeds a limit: the client paid for it, and gets it anyway.
   */
  save: (response: Fields | Buffer) => Promise<boolean>
}

interface Deps {
  storedResponses: Pick<StoredResponses, "save">
  log: Pick<Logger, "warn">
  bodyThread: BodyThread
  limits: Pick<UserLimits, "requests" | "bodies">
}

export interface StoredRequest {
  context: RequestContext
  caller: Caller
  received: ModelRequest
  /** The items to store with the response. */
  input: SerializedInput
}

const limitCodes = new Set<FailureCode>(["body_too_large", "storage_limit"])

const isOverLimit = (error: unknown): error is Failure =>
  error instanceof Failure && limitCodes.has(error.code)

export const createResponseStorage =
  ({ storedResponses, log, bodyThread, limits }: Deps) =>
  ({ context, caller, received, input }: StoredRequest): ResponseStorage => {
    const userId = caller.user.id
    const { previous_response_id = null } = received.fields
    const members = { id: createId("resp"), store: true as const, previous_response_id }
    /**
     * Counts the request until it is saved: the provider has answered, and the client may have
     * disconnected, but its items are still in memory.
     */
    const holdLimits = (): (() => void) => {
      const releases = [limits.requests.hold(userId, 1)]
      let isEnded = false
      whenClosed(context.outgoing, () => {
        if (!isEnded) releases.push(limits.bodies.hold(userId, received.bytes.length))
      })
      return () => {
        isEnded = true
        for (const release of releases) release()
      }
    }
    const isSaved = async (saving: Promise<void>): Promise<boolean> => {
      const release = holdLimits()
      try {
        await saving
        return true
      } catch (error) {
        if (!isOverLimit(error)) throw error
        const { message: reason } = error
        log.warn({ request_id: context.requestId, user: userId, reason }, "Response not stored")
        return false
      } finally {
        release()
      }
    }
    const saveLarge = async (bytes: Buffer): Promise<void> => {
      const task = bodyTasks.serializeResponse
      const serialized = await bodyThread.read({ userId }, task, { bytes, input: members })
      await storedResponses.save(userId, { serialized, input })
    }
    const save = (response: Fields): Promise<void> =>
      storedResponses.save(userId, { response: { ...response, ...members }, input })
    return {
      members,
      save: (response) => isSaved(Buffer.isBuffer(response) ? saveLarge(response) : save(response)),
    }
  }
