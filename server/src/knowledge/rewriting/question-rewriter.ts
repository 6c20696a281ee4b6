import type { Logger } from "pino"
import { Failure } from "../../errors.ts"
import type { Caller } from "../../http/caller.ts"
import { referenceOf, translatable } from "../../i18n/message.ts"
import type { QueryRewritingMode } from "../../models/query-rewriting-mode.ts"
import type { Settings } from "../../settings/schema.ts"
import type { ReportCost } from "../../usage/cost-sum.ts"
import { parseRewriting } from "./parse-rewriting.ts"
import { createRewritingCache, rewritingKey } from "./rewriting-cache.ts"
import { isInOtherLanguage, refersBack } from "./rewriting-conditions.ts"
import {
  type ConversationTurn,
  type RewritingMessages,
  rewritingMessages,
} from "./rewriting-prompt.ts"
import type { RewritingReport } from "./schema.ts"

/** Messages before the question that the model reads. */
const maxTurns = 6
/** Languages into which a question is translated. */
export const maxTranslations = 4
/** Characters; a longer question says enough, and rewriting it takes too long. */
const maxRewrittenQuestion = 2000
/** Characters of a model's answer. */
const maxAnswerLength = 16_000
/** The value of the setting for "no model". */
const noModel = "none"

export interface RewritingModelRequest {
  caller: Caller
  model: string
  /** Whether the administrators chose the model: the caller's access to it is not checked. */
  isConfigured: boolean
  messages: RewritingMessages
  /** Characters; a longer answer ends with an error. */
  maxAnswerLength: number
  signal: AbortSignal
  reportCost?: ReportCost | undefined
}

/** Responds with the text of the model's answer. @throws {Failure} if there is none */
export type AskRewritingModel = (request: RewritingModelRequest) => Promise<string>

/** Who asks what, and how a question may be rewritten. */
export interface RewritingContext {
  caller: Caller
  /** The chat's own model; null if there is none that may be asked. */
  chatModel: string | null
  mode: QueryRewritingMode
  /** The messages before the question, oldest first. */
  turns: readonly ConversationTurn[]
  /** Called with the cost of asking a model, also if it was asked in vain. */
  reportCost?: ReportCost | undefined
}

export interface RewritingRequest extends RewritingContext {
  question: string
  /** ISO 639-1, those of the searched files, the most frequent first. */
  fileLanguages: readonly string[]
  signal?: AbortSignal | undefined
}

interface Prepared extends RewritingRequest {
  /** Aborted at the deadline, or with the request. */
  ending: AbortSignal
}

interface Deps {
  log: Logger
  askModel: AskRewritingModel
  settings: () => Pick<Settings, "query_rewriting_model" | "query_rewriting_timeout_ms">
  /** ISO 639-1; null if unknown. */
  detectLanguage: (text: string) => Promise<string | null>
  nowMs: () => number
}

type Attempt = Omit<RewritingReport, "model" | "duration_ms">

const attempt = (outcome: Attempt["outcome"], parts: Partial<Attempt> = {}): Attempt => ({
  ...{ outcome, queries: [], cached: false, error: null, error_reference: null },
  ...parts,
})

const unreadable = translatable("rewriting_unreadable")

/** Rewrites questions before files are searched. It never fails: without queries, the search is plain. */
export const createQuestionRewriter = (deps: Deps) => {
  const { log, askModel, settings, detectLanguage, nowMs } = deps
  const cache = createRewritingCache(nowMs)

  const isOff = (mode: QueryRewritingMode): boolean =>
    mode === "off" || settings().query_rewriting_model === noModel

  const isNeeded = async (request: Prepared): Promise<boolean> => {
    const { question, turns, fileLanguages, mode, ending } = request
    if (question === "" || question.length > maxRewrittenQuestion) return false
    if (mode === "on" || refersBack(question, turns.length > 0)) return true
    if (fileLanguages.length === 0) return false
    return isInOtherLanguage(await languageOf(question, ending), fileLanguages)
  }

  /** Null as well if the detection fails or is late. */
  const languageOf = (question: string, ending: AbortSignal): Promise<string | null> =>
    settleInTime(detectLanguage(question), ending).catch((error: unknown) => {
      if (!ending.aborted) log.error({ err: error }, "The language of a question is unknown")
      return null
    })

  const attemptRewriting = async (model: string, request: Prepared): Promise<Attempt> => {
    const { caller, question, turns, fileLanguages: languages, reportCost } = request
    const key = rewritingKey([caller.user.id, model, question, turns, languages])
    const known = cache.get(key)
    if (known) return attempt("used", { queries: [...known], cached: true })
    const answer = await settleInTime(
      askModel({
        ...{ caller, model, maxAnswerLength, signal: request.ending, reportCost },
        isConfigured: settings().query_rewriting_model !== "",
        messages: rewritingMessages({ question, turns, languages }),
      }),
      request.ending,
    )
    const queries = parseRewriting(answer, { question, languages })
    if (!queries) {
      return attempt("failed", { error: unreadable.text, error_reference: referenceOf(unreadable) })
    }
    cache.set(key, queries)
    return attempt("used", { queries })
  }

  const failedAttempt = (error: unknown): Attempt => {
    if (error instanceof DOMException && error.name === "TimeoutError") return attempt("timed_out")
    if (error instanceof Failure) {
      return attempt("failed", { error: error.message, error_reference: error.reference })
    }
    if (error instanceof DOMException && error.name === "AbortError") return attempt("failed")
    log.error({ err: error }, "A question could not be rewritten")
    return attempt("failed")
  }

  const rewrite = async (request: Prepared): Promise<Attempt & { model: string | null }> => {
    const model = settings().query_rewriting_model || request.chatModel
    if (isOff(request.mode)) return { model: null, ...attempt("off") }
    if (!(await isNeeded(request))) return { model: null, ...attempt("not_needed") }
    if (model === null) return { model, ...attempt("no_model") }
    return { model, ...(await attemptRewriting(model, request).catch(failedAttempt)) }
  }

  /** @throws if the request's signal is aborted */
  return async (request: RewritingRequest): Promise<RewritingReport> => {
    const startedAt = nowMs()
    const deadline = AbortSignal.timeout(settings().query_rewriting_timeout_ms)
    const ending = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline
    const prepared = {
      ...request,
      turns: request.turns.slice(-maxTurns),
      fileLanguages: request.fileLanguages.slice(0, maxTranslations),
      ending,
    }
    const result = await rewrite(prepared)
    request.signal?.throwIfAborted()
    return { ...result, duration_ms: Math.round(nowMs() - startedAt) }
  }
}

/** Rejects when the signal is aborted, whether or not the work ends by then. */
const settleInTime = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener("abort", onAbort)
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener("abort", onAbort)
  }
}

export type QuestionRewriter = ReturnType<typeof createQuestionRewriter>
