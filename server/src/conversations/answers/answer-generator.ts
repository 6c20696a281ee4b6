import type { Logger } from "pino"
import type { Completions } from "../../completions/completions.ts"
import { chatOperation } from "../../completions/operations/chat.ts"
import { parseModelRequest } from "../../completions/request/model-request.ts"
import type { Caller } from "../../http/caller.ts"
import { toFailure } from "../../http/failure-response.ts"
import { toJsonBody } from "../../http/json-object.ts"
import type { SourcePassage } from "../../knowledge/citations/source-prompt.ts"
import type { ReportCost } from "../../usage/cost-sum.ts"
import type { Message } from "../schema.ts"
import {
  type AnswerCallbacks,
  AnswerCollector,
  type CollectedAnswer,
  toMessageError,
} from "./answer-collector.ts"

export interface AnswerJob {
  caller: Caller
  chat: { id: string; user_id: string }
  /** The row to write, already stored with the state `running`. */
  message: Message
  /** The OpenAI-style request body. */
  body: Buffer
  /** The passages that a continued answer was given before. */
  sourcePassages: readonly SourcePassage[] | null
  requestId: string
}

/** What is reported while an answer is generated. */
interface AnswerEvents extends AnswerCallbacks {
  /** Called with the cost of each request that is made for the answer. */
  reportCost: ReportCost
}

interface Deps {
  completions: Completions
  log: Logger
}

/** Requests an answer from the model and resolves with its outcome; never rejects. */
export const createAnswerGenerator =
  ({ completions, log }: Deps) =>
  (
    { caller, message, body, sourcePassages, requestId }: AnswerJob,
    { reportCost, ...events }: AnswerEvents,
    signal: AbortSignal,
  ): Promise<CollectedAnswer> =>
    new Promise((resolve) => {
      const usageContext = { requestId, startedAt: performance.now(), reportCost }
      const generate = async (): Promise<void> => {
        const request = parseModelRequest(chatOperation, toJsonBody(body))
        const collector = new AnswerCollector({ ...events, onDone: resolve })
        await completions.answer(
          { caller, request, usageContext, signal, sourcePassages },
          collector,
        )
      }
      generate().catch((reason: unknown) => {
        const emptyResult = { finish_reason: null, tokens: null, chunks: 0 }
        if (signal.aborted) {
          const stopped = { outcome: "client_cancelled", error: null, failure: undefined } as const
          return resolve({ ...stopped, ...emptyResult })
        }
        const failure = toFailure(reason)
        log.warn({ err: reason, model: message.model }, "could not start answer")
        const error = toMessageError(failure)
        resolve({ outcome: "upstream_error", error, failure, ...emptyResult })
      })
    })
