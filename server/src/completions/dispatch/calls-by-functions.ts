import type { RequestHandle } from "@portico/http1"
import { Failure } from "../../errors.ts"
import { readErrorBody } from "../../formats/error-body.ts"
import { parseJson } from "../../formats/json-values.ts"
import { MalformedResponse } from "../../formats/malformed-response.ts"
import { answerHeaders } from "../../functions/answer-headers.ts"
import type { HostServices, ModelResponseReceiver } from "../../functions/host-services.ts"
import { toFailure } from "../../http/failure-response.ts"
import { toJsonBody } from "../../http/json-object.ts"
import { translatable } from "../../i18n/message.ts"
import { outcomeOfErrorStatus } from "../../usage/outcome-of-error-status.ts"
import type { Completions } from "../completions.ts"
import { chatOperation } from "../operations/chat.ts"
import { embeddingsOperation } from "../operations/embeddings.ts"
import { parseModelRequest } from "../request/model-request.ts"
import type { ProviderErrorReply } from "../response/provider-error-reply.ts"
import type { ResponseConsumer } from "../response/response-consumer.ts"

const toErrorFailure = ({ status, body }: ProviderErrorReply): Failure => {
  const reported = readErrorBody(body.toString("utf8"))
  const message = reported?.message ?? `The provider responded with status ${status}.`
  const isRefused = outcomeOfErrorStatus(status) === "refused_request"
  return new Failure(isRefused ? "bad_request" : "upstream_broken", message)
}

const operationOf = { completion: chatOperation, embeddings: embeddingsOperation }

/** Hands a response to the function that requested it. */
const createFunctionConsumer = (
  receiver: ModelResponseReceiver,
  onOpen: (handle: RequestHandle) => void,
): ResponseConsumer => ({
  onOpen,
  onStart: () => receiver.onHead(200, answerHeaders(true)),
  onChunk: (bytes) => receiver.onData(bytes),
  onEnd: () => receiver.onEnd(),
  onBody: (body) => {
    if (parseJson(body.toString("utf8")) === undefined)
      throw new MalformedResponse(translatable("not_a_completion"))
    receiver.onHead(200, answerHeaders(false))
    receiver.onData(body)
    receiver.onEnd()
  },
  onErrorReply: (error) => receiver.stop("upstream_error", toErrorFailure(error)),
  onFailure: (failure) => receiver.stop("upstream_error", failure),
})

/**
 * Lets functions call models on behalf of the user who called the function. Each call gets its own
 * usage record.
 */
export const createModelCaller =
  (completions: Completions): HostServices["requestModel"] =>
  ({ caller, requestId, callingFunctions, reportCost }, { kind, fields }, receiver) => {
    let response: RequestHandle | null = null
    const controller = new AbortController()
    const { signal } = controller
    const consumer = createFunctionConsumer(receiver, (handle) => {
      response = handle
    })
    const run = async (): Promise<void> => {
      const request = parseModelRequest(
        operationOf[kind],
        toJsonBody(Buffer.from(JSON.stringify(fields))),
      )
      const usageContext = { requestId, startedAt: performance.now(), reportCost }
      await completions.answer(
        { caller, request, usageContext, signal, callingFunctions },
        consumer,
      )
    }
    run().catch((error: unknown) => {
      if (!signal.aborted) receiver.stop("upstream_error", toFailure(error))
    })
    return {
      resume: () => response?.resume(),
      cancel: () => controller.abort(),
    }
  }
