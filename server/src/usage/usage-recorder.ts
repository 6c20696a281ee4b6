import { randomUUIDv7 } from "node:crypto"
import type { AttemptTarget } from "../connections/attempt-target.ts"
import type { SqlBoolean } from "../db/column-types.ts"
import { type Caller, keyIdOf, userIdOf } from "../http/caller.ts"
import type { RequestContext } from "../http/request-context.ts"
import type { RequestCost } from "./charged-request.ts"
import type { ReportCost } from "./cost-sum.ts"
import type { Metrics } from "./metrics.ts"
import type { RecordQueue } from "./record-queue.ts"
import type { RequestOutcome } from "./schema.ts"
import { limitKinds, maxTokens, noTokens, type TokenCounts } from "./token-counts.ts"

const bytesPerToken = 4

/** What a usage record belongs to: a request, or work that continues after it. */
export interface UsageContext
  extends Pick<RequestContext, "requestId" | "startedAt" | "connection"> {
  /** Called with the cost of each request once it is settled. */
  reportCost?: ReportCost | undefined
}

export interface UsageRecordInput {
  context: UsageContext
  caller: Caller
  operation: string
  /** The model id as the caller sent it. */
  model: string
  streamed: boolean
  /** Its size is used for an estimate if the upstream reports no token counts. */
  prompt: { readonly bytes: Buffer }
}

export interface UsageOutcome {
  outcome: RequestOutcome
  status: number
  tokens: TokenCounts | null
  /** Content chunks received; used as the output tokens if the upstream reports none. */
  chunksOut: number
}

/** What a settled request used of what limits count. */
export interface UsedAmounts {
  requests: number
  tokens: number
  /** Nano-dollars; 0 if the price is unknown. */
  cost: number
}

/** @returns whether it was more than the request had reserved; null if it had reserved nothing */
export type ChargeLimits = (used: UsedAmounts) => boolean | null

interface Deps {
  recordQueue: RecordQueue
  metrics: Metrics
  requestCost: RequestCost
  now: () => number
}

const bit = (condition: boolean): SqlBoolean => (condition ? 1 : 0)

/** What `user_id` is in records of service keys, which belong to no user. */
const noUserId = ""

const outcomesWithoutTokens = new Set<RequestOutcome>([
  "upstream_error",
  "refused_request",
  "limited",
])

/** No tokens if the upstream failed or rejected the request; otherwise about one per four bytes. */
const estimatePrompt = (outcome: RequestOutcome, prompt: UsageRecordInput["prompt"]): number => {
  return outcomesWithoutTokens.has(outcome) ? 0 : Math.ceil(prompt.bytes.length / bytesPerToken)
}

/** Records the usage of one request: created before the request is sent, settled once at its end. */
export class UsageRecorder {
  readonly #deps: Deps
  readonly #request: UsageRecordInput
  readonly #chargeLimits: ChargeLimits
  #target: AttemptTarget | null = null
  #attempts = 0
  #provider = ""
  #firstTokenAt: number | null = null
  #isSettled = false
  #isEstimate = false
  #reported: TokenCounts = noTokens

  constructor(deps: Deps, request: UsageRecordInput, chargeLimits: ChargeLimits) {
    this.#deps = deps
    this.#request = request
    this.#chargeLimits = chargeLimits
    deps.metrics.recordStart()
  }

  /** The last target is the one that answers. */
  setTarget(target: AttemptTarget, requestsSent: number): void {
    const { id, kind } = target.connection.config
    this.#target = target
    this.#attempts = requestsSent
    this.#provider = kind
    this.#request.context.connection = id
  }

  /** A function answers, unless a target follows. */
  markFunction(): void {
    this.#provider = "function"
  }

  /** Marks the token counts passed to `settle` as the gateway's own estimate. */
  markEstimated(): void {
    this.#isEstimate = true
  }

  /**
   * Keeps counts of a response that may break off before it reports its final usage, or whose
   * client's format lacks some kinds of tokens.
   */
  reportTokens(counts: TokenCounts): void {
    this.#reported = maxTokens(this.#reported, counts)
  }

  markFirstToken(): void {
    this.#firstTokenAt ??= performance.now()
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  settle(settlement: UsageOutcome): void {
    if (this.#isSettled) return
    this.#isSettled = true
    const record = this.#createRecord(settlement)
    this.#deps.recordQueue.enqueue(record)
    this.#deps.metrics.recordEnd(record, this.#provider)
    this.#request.context.reportCost?.(record.cost)
  }

  #createRecord(settlement: UsageOutcome) {
    const { context, caller, operation, model, streamed } = this.#request
    const { outcome, status, tokens } = settlement
    const { startedAt, requestId } = context
    const firstTokenAt = this.#firstTokenAt
    const target = this.#target
    const connection = target?.connection.config ?? null
    const upstreamModel = target?.model ?? null
    const serviceTier = target?.serviceTier ?? null
    const counts = this.#finalTokens(settlement)
    const at = this.#deps.now()
    const durationMs = Math.round(performance.now() - startedAt)
    const charged = { connection, upstreamModel, serviceTier, tokens: counts, durationMs }
    const cost = this.#deps.requestCost({ ...charged, outcome, at })
    const isOverrun = this.#chargeLimits({
      requests: this.#wasSent && outcome !== "limited" ? 1 : 0,
      // A function's own requests are charged by themselves.
      tokens: target ? counts.tokens_in + counts.tokens_out : 0,
      cost: cost ?? 0,
    })
    return {
      id: randomUUIDv7(),
      at,
      user_id: userIdOf(caller) ?? noUserId,
      key_id: keyIdOf(caller),
      group_id: caller.paying_group,
      operation,
      model,
      connection_id: connection?.id ?? null,
      upstream_model: upstreamModel,
      service_tier: serviceTier,
      attempts: this.#attempts,
      streamed: bit(streamed),
      ...counts,
      cost,
      overrun: isOverrun === null ? null : bit(isOverrun),
      estimated: bit(this.#isEstimate || tokens === null),
      time_to_first_token_ms: firstTokenAt === null ? null : Math.round(firstTokenAt - startedAt),
      duration_ms: durationMs,
      outcome,
      status,
      request_id: requestId,
    }
  }

  /** Whether a provider or a function got the request. */
  get #wasSent(): boolean {
    return this.#provider !== ""
  }

  /** The client's format may lack some of what was reported. */
  #finalTokens({ outcome, tokens, chunksOut }: UsageOutcome): TokenCounts {
    if (!this.#wasSent) return noTokens
    const reported = this.#reported
    if (tokens) return limitKinds(maxTokens(reported, tokens))
    return limitKinds({
      ...reported,
      tokens_in: reported.tokens_in || estimatePrompt(outcome, this.#request.prompt),
      tokens_out: Math.max(reported.tokens_out, chunksOut),
    })
  }
}

export interface UsageRecorders {
  /** Called for every request that limits apply to; `limits/admission` does. */
  start(request: UsageRecordInput, chargeLimits: ChargeLimits): UsageRecorder
}

export const createUsageRecorders = (deps: Deps): UsageRecorders => ({
  start: (request, chargeLimits) => new UsageRecorder(deps, request, chargeLimits),
})
