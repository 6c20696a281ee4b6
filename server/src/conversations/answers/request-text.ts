import { randomUUID } from "node:crypto"
import type { Completions } from "../../completions/completions.ts"
import { chatOperation } from "../../completions/operations/chat.ts"
import { parseModelRequest } from "../../completions/request/model-request.ts"
import type { Fields } from "../../formats/json-values.ts"
import { MalformedResponse } from "../../formats/malformed-response.ts"
import type { Caller } from "../../http/caller.ts"
import { toJsonBody } from "../../http/json-object.ts"
import { translatable } from "../../i18n/message.ts"
import type { ResolvedModel } from "../../models/catalogue.ts"
import type { ReportCost } from "../../usage/cost-sum.ts"
import { AnswerCollector, type CollectedAnswer } from "./answer-collector.ts"

export interface TextRequest {
  /** The user whose usage it is. */
  caller: Caller
  /** Access to it must have been checked. */
  resolved: ResolvedModel
  /** The members of a chat completion other than `model` and those of streaming. */
  fields: Fields
  signal?: AbortSignal
  /** Characters after which the answer is ended; unlimited by default. */
  maxLength?: number
  reportCost?: ReportCost | undefined
}

export interface TextAnswer extends Pick<CollectedAnswer, "outcome" | "error"> {
  /** Without the model's thoughts. */
  text: string
}

const tooLong = (maxLength: number) =>
  translatable("answer_exceeds_characters", { count: maxLength })

/**
 * Lets a model answer a request of the gateway itself, which is recorded as usage of the caller.
 * Reads a stream or a whole answer, whatever the provider sends. @throws {Failure}
 */
export const requestText = (
  completions: Completions,
  {
    caller,
    resolved,
    fields,
    signal,
    maxLength = Number.POSITIVE_INFINITY,
    reportCost,
  }: TextRequest,
): Promise<TextAnswer> =>
  new Promise((resolve, reject) => {
    const stream = { stream: true, stream_options: { include_usage: true } }
    const bytes = Buffer.from(JSON.stringify({ model: resolved.id, ...fields, ...stream }))
    const request = parseModelRequest(chatOperation, toJsonBody(bytes))
    const usageContext = { requestId: randomUUID(), startedAt: performance.now(), reportCost }
    let text = ""
    let length = 0
    const collector = new AnswerCollector({
      onText: ({ content, reasoning }) => {
        if (length > maxLength) return
        length += content.length + reasoning.length
        if (length > maxLength) throw new MalformedResponse(tooLong(maxLength))
        text += content
      },
      onDone: ({ outcome, error }) => resolve({ text, outcome, error }),
    })
    completions
      .answerResolved({ caller, request, usageContext, signal }, resolved, collector)
      .catch(reject)
  })
