import { Failure } from "../errors.ts"
import { readErrorBody } from "../formats/error-body.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import type { HostServices, ModelResponseHandler } from "../functions/host-services.ts"
import { toFailure } from "../http/errors.ts"
import { toJsonBody } from "../http/json-object.ts"
import { translatable } from "../i18n/message.ts"
import { outcomeOfErrorStatus } from "../usage/outcome.ts"
import type { Completions } from "./completions.ts"
import { chatOperation } from "./operations/chat.ts"
import { embeddingsOperation } from "./operations/embeddings.ts"
import { type ModelRequest, parseModelRequest } from "./request.ts"
import type { ResponseConsumer, ResponseControl } from "./response-consumer.ts"
import type { ErrorReply } from "./upstream-response.ts"

const toErrorFailure = ({ status, body }: ErrorReply): Failure => {
  const reported = readErrorBody(body.toString("utf8"))
  const message = reported?.message ?? `The provider responded with status ${status}.`
  const isRefused = outcomeOfErrorStatus(status) === "refused_request"
  return new Failure(isRefused ? "bad_request" : "upstream_broken", message)
}

const isJson = (body: Buffer): boolean => {
  try {
    JSON.parse(body.toString("utf8"))
    return true
  } catch {
    return false
  }
}

const operationOf = { completion: chatOperation, embeddings: embeddingsOperation }

/** Hands a response to the function that requested it. */
const createFunctionConsumer = (
  handler: ModelResponseHandler,
  onOpen: (control: ResponseControl) => void,
): ResponseConsumer => ({
  onOpen,
  onStart: () => handler.start(true),
  onChunk: (bytes) => handler.data(bytes),
  onEnd: () => handler.end(),
  onBody: (body) => {
    if (!isJson(body)) throw new MalformedResponse(translatable("not_a_completion"))
    handler.start(false)
    handler.data(body)
    handler.end()
  },
  onErrorReply: (error) => handler.failed(toErrorFailure(error)),
  onFailure: (failure) => handler.failed(failure),
})

/**
 * Lets functions call models on behalf of the user who called the function. Each call gets its own
 * usage record.
 */
export const createModelCaller =
  (completions: Completions): HostServices["requestModel"] =>
  ({ caller, requestId, above }, { kind, fields }, handler) => {
    let response: ResponseControl | null = null
    const controller = new AbortController()
    const { signal } = controller
    const consumer = createFunctionConsumer(handler, (control) => {
      response = control
    })
    const run = async (): Promise<void> => {
      const parsed = parseModelRequest(
        operationOf[kind],
        toJsonBody(Buffer.from(JSON.stringify(fields))),
      )
      const request: ModelRequest = { ...parsed, callingFunctions: above }
      const usageContext = { requestId, startedAt: performance.now() }
      await completions.answer({ caller, request, usageContext, signal }, consumer)
    }
    run().catch((error: unknown) => {
      if (!signal.aborted) handler.failed(toFailure(error))
    })
    return {
      resume: () => response?.resume(),
      cancel: () => controller.abort(),
    }
  }
