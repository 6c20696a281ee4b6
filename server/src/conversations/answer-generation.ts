import type { Logger } from "pino"
import type { Chat } from "../completions/completions.ts"
import { readRequest } from "../completions/request.ts"
import type { Caller } from "../http/caller.ts"
import { toFailure } from "../http/errors.ts"
import { bodyOf } from "../http/json-object.ts"
import type { Cited } from "../knowledge/citations.ts"
import type { SourcePassage } from "../knowledge/source-prompt.ts"
import { type Collected, Collector } from "./answer-collector.ts"
import type { Message } from "./schema.ts"

export interface Assignment {
  caller: Caller
  chat: { id: string; user_id: string }
  /** The row to write, already stored with the state `running`. */
  message: Message
  /** The OpenAI-style request body. */
  body: Buffer
  /** The passages that a continued answer was given before. */
  quoted: readonly SourcePassage[] | null
  requestId: string
}

export /** What is told of an answer while it is made. */
interface Heard {
  grew: (parts: { content: string; reasoning: string }) => void
  cited: (cited: Cited) => void
  told: (sources: unknown) => void
}

interface Deps {
  engine: Chat
  log: Logger
}

/** Requests an answer from the model and resolves with its outcome; never rejects. */
export const createAsking =
  ({ engine, log }: Deps) =>
  (
    { caller, message, body, quoted, requestId }: Assignment,
    { grew, cited, told }: Heard,
    started: (stop: () => void) => void,
  ): Promise<Collected> =>
    new Promise((resolve) => {
      const book = { requestId, startedAt: performance.now() }
      const leaving = new AbortController()
      const { signal } = leaving
      started(() => leaving.abort())
      const asking = async (): Promise<void> => {
        const request = readRequest("chat/completions", bodyOf(body))
        await engine.answer({ caller, request, book, signal, quoted }, (meter, over) => {
          const collector = new Collector({
            meter,
            grew,
            cited,
            told,
            over: (collected) => {
              over(collected.failure)
              resolve(collected)
            },
          })
          started(() => collector.stop("client_cancelled"))
          return collector
        })
      }
      asking().catch((reason: unknown) => {
        const nothing = { finish_reason: null, tokens: null, pieces: 0 }
        if (signal.aborted) {
          const stopped = { outcome: "client_cancelled", error: null, failure: undefined } as const
          return resolve({ ...stopped, ...nothing })
        }
        const failure = toFailure(reason)
        const { code, message: words } = failure
        log.warn({ err: reason, model: message.model }, "could not start answer")
        const error = { code, message: words, status: null, raw: null }
        resolve({ outcome: "upstream_error", error, failure, ...nothing })
      })
    })
