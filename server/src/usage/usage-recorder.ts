import { randomUUIDv7 } from "node:crypto"
import type { SqlBoolean } from "../db/column-types.ts"
import type { Caller } from "../http/caller.ts"
import type { RequestContext } from "../http/request-context.ts"
import type { Metrics } from "./metrics.ts"
import type { RecordQueue } from "./record-queue.ts"
import type { RequestOutcome, TokenCounts } from "./schema.ts"

const bytesPerToken = 4

/** What a usage record belongs to: a request, or work that continues after it. */
export type UsageContext = Pick<RequestContext, "requestId" | "startedAt" | "connection">

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

interface Deps {
  recordQueue: RecordQueue
  metrics: Metrics
  now: () => number
}

const bit = (condition: boolean): SqlBoolean => (condition ? 1 : 0)

const keyOf = ({ credential }: Caller): string | null =>
  credential.type === "key" ? credential.id : null

/** No tokens if the upstream failed or rejected the request; otherwise about one per four bytes. */
const estimatePrompt = (outcome: RequestOutcome, prompt: UsageRecordInput["prompt"]): number => {
  const failed = outcome === "upstream_error" || outcome === "refused_request"
  return failed ? 0 : Math.ceil(prompt.bytes.length / bytesPerToken)
}

/** Records the usage of one request: created before the request is sent, settled once at its end. */
export class UsageRecorder {
  readonly #deps: Deps
  readonly #request: UsageRecordInput
  #connectionId: string | null = null
  #provider = ""
  #firstTokenAt: number | null = null
  #isSettled = false
  #isEstimate = false
  #reported: TokenCounts = { tokens_in: 0, tokens_out: 0 }

  constructor(deps: Deps, request: UsageRecordInput) {
    this.#deps = deps
    this.#request = request
    deps.metrics.recordStart()
  }

  /** @param connectionId null if the request goes to no connection */
  setTarget(connectionId: string | null, kind: string): void {
    this.#connectionId = connectionId
    this.#provider = kind
    if (connectionId !== null) this.#request.context.connection = connectionId
  }

  /** Marks the token counts passed to `settle` as the gateway's own estimate. */
  markEstimated(): void {
    this.#isEstimate = true
  }

  /** Keeps counts of a response that may break off before it reports its final usage. */
  reportTokens({ tokens_in, tokens_out }: TokenCounts): void {
    this.#reported = {
      tokens_in: Math.max(this.#reported.tokens_in, tokens_in),
      tokens_out: Math.max(this.#reported.tokens_out, tokens_out),
    }
  }

  markFirstToken(): void {
    this.#firstTokenAt ??= performance.now()
  }

  settle({ outcome, status, tokens, chunksOut }: UsageOutcome): void {
    if (this.#isSettled) return
    this.#isSettled = true
    const { context, caller, operation, model, streamed, prompt } = this.#request
    const { startedAt, requestId } = context
    const firstTokenAt = this.#firstTokenAt
    const record = {
      id: randomUUIDv7(),
      at: this.#deps.now(),
      user_id: caller.user.id,
      key_id: keyOf(caller),
      operation,
      model,
      connection_id: this.#connectionId,
      streamed: bit(streamed),
      tokens_in: tokens?.tokens_in ?? (this.#reported.tokens_in || estimatePrompt(outcome, prompt)),
      tokens_out: tokens?.tokens_out ?? Math.max(this.#reported.tokens_out, chunksOut),
      estimated: bit(this.#isEstimate || tokens === null),
      time_to_first_token_ms: firstTokenAt === null ? null : Math.round(firstTokenAt - startedAt),
      duration_ms: Math.round(performance.now() - startedAt),
      outcome,
      status,
      request_id: requestId,
    }
    this.#deps.recordQueue.enqueue(record)
    this.#deps.metrics.recordEnd(record, this.#provider)
  }
}

export interface UsageRecorders {
  /** Every dispatched request starts a record here. */
  start(request: UsageRecordInput): UsageRecorder
}

export const createUsageRecorders = (deps: Deps): UsageRecorders => ({
  start: (request) => new UsageRecorder(deps, request),
})
