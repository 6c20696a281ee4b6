import type { Logger } from "pino"
import type { Completions } from "../completions/completions.ts"
import { parseModelRequest } from "../completions/request.ts"
import type { Caller } from "../http/caller.ts"
import { toFailure } from "../http/errors.ts"
import { toJsonBody } from "../http/json-object.ts"
import type { AnswerSources } from "../knowledge/citations.ts"
import type { SourcePassage } from "../knowledge/source-prompt.ts"
import { AnswerCollector, type CollectedAnswer } from "./answer-collector.ts"
import type { Message } from "./schema.ts"

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

/** Receives the parts of an answer while it is generated. */
export interface AnswerEvents {
  onText: (parts: { content: string; reasoning: string }) => void
  onCitations: (sources: AnswerSources) => void
  onReportedSources: (sources: unknown) => void
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
    { onText, onCitations, onReportedSources }: AnswerEvents,
    onStarted: (stop: () => void) => void,
  ): Promise<CollectedAnswer> =>
    new Promise((resolve) => {
      const usageContext = { requestId, startedAt: performance.now() }
      const controller = new AbortController()
      const { signal } = controller
      onStarted(() => controller.abort())
      const generate = async (): Promise<void> => {
        const request = parseModelRequest("chat/completions", toJsonBody(body))
        const collector = new AnswerCollector({
          onOpen: (control) => onStarted(() => control.stop("client_cancelled")),
          onText,
          onCitations,
          onReportedSources,
          onDone: resolve,
        })
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
        const { code, message: text } = failure
        log.warn({ err: reason, model: message.model }, "could not start answer")
        const error = { code, message: text, status: null, raw: null }
        resolve({ outcome: "upstream_error", error, failure, ...emptyResult })
      })
    })
