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

export const createUsageRecorders = ({ recordQueue, metrics, now }: Deps) => ({
  /**
   * Records the usage of one request: created before the request is sent, settled once at its end.
   * Every dispatched request starts a record here.
   */
  start: ({ context, caller, operation, model, streamed, prompt }: UsageRecordInput) => {
    const startedAt = context.startedAt
    let connection_id: string | null = null
    let provider = ""
    let firstTokenAt: number | null = null
    let isSettled = false
    let isEstimate = false
    let reported: TokenCounts = { tokens_in: 0, tokens_out: 0 }
    metrics.recordStart()

    return {
      /** @param connectionId null if the request goes to no connection */
      setTarget: (connectionId: string | null, kind: string): void => {
        connection_id = connectionId
        provider = kind
        if (connectionId !== null) context.connection = connectionId
      },

      /** Marks the token counts passed to `settle` as the gateway's own estimate. */
      markEstimated: (): void => {
        isEstimate = true
      },

      /** Keeps counts of a response that may break off before it reports its final usage. */
      reportTokens: ({ tokens_in, tokens_out }: TokenCounts): void => {
        reported = {
          tokens_in: Math.max(reported.tokens_in, tokens_in),
          tokens_out: Math.max(reported.tokens_out, tokens_out),
        }
      },

      markFirstToken: (): void => {
        firstTokenAt ??= performance.now()
      },

      settle: ({ outcome, status, tokens, chunksOut }: UsageOutcome): void => {
        if (isSettled) return
        isSettled = true
        const { tokens_in, tokens_out } = tokens ?? {
          tokens_in: reported.tokens_in || estimatePrompt(outcome, prompt),
          tokens_out: Math.max(reported.tokens_out, chunksOut),
        }
        const record = {
          id: randomUUIDv7(),
          at: now(),
          user_id: caller.user.id,
          key_id: keyOf(caller),
          operation,
          model,
          connection_id,
          streamed: bit(streamed),
          tokens_in,
          tokens_out,
          estimated: bit(isEstimate || tokens === null),
          time_to_first_token_ms:
            firstTokenAt === null ? null : Math.round(firstTokenAt - startedAt),
          duration_ms: Math.round(performance.now() - startedAt),
          outcome,
          status,
          request_id: context.requestId,
        }
        recordQueue.enqueue(record)
        metrics.recordEnd(record, provider)
      },
    }
  },
})

export type UsageRecorders = ReturnType<typeof createUsageRecorders>
export type UsageRecorder = ReturnType<UsageRecorders["start"]>
