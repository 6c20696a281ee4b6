import { randomUUIDv7 } from "node:crypto"
import type { SqlBoolean } from "../db/tables.ts"
import type { Caller } from "../http/caller.ts"
import type { Exchange } from "../http/request-context.ts"
import type { Metrics } from "./metrics.ts"
import type { Recorder } from "./record-queue.ts"
import type { Outcome, Tokens } from "./schema.ts"

const bytesPerToken = 4

/** What a usage record belongs to: a request, or work that continues after it. */
export type Booked = Pick<Exchange, "requestId" | "startedAt" | "connection">

export interface Begun {
  exchange: Booked
  caller: Caller
  operation: string
  /** The model id as the caller sent it. */
  model: string
  streamed: boolean
  /** Used for an estimate if the upstream reports no token counts. */
  promptBytes: number
}

export interface Ended {
  outcome: Outcome
  status: number
  tokens: Tokens | null
  /** Content chunks received; used as the output tokens if the upstream reports none. */
  piecesOut: number
}

/**
 * Records the usage of one request: created before the request is sent, settled once at its end.
 */
export interface Meter {
  /** @param connectionId null if the request goes to no connection */
  sentTo(connectionId: string | null, provider: string): void
  /** Marks the token counts passed to `settle` as the gateway's own estimate. */
  estimated(): void
  firstToken(): void
  settle(ended: Ended): void
}

interface Deps {
  recorder: Recorder
  metrics: Metrics
  now: () => number
}

const bit = (claim: boolean): SqlBoolean => (claim ? 1 : 0)

const whose = ({ user, credential }: Caller) => ({
  user_id: user.id,
  key_id: credential.type === "key" ? credential.id : null,
})

/** No tokens if the upstream failed or rejected the request; otherwise about one per four bytes. */
const estimate = (outcome: Outcome, promptBytes: number, piecesOut: number): Tokens => {
  const failed = outcome === "upstream_error" || outcome === "refused_request"
  const tokens_in = failed ? 0 : Math.ceil(promptBytes / bytesPerToken)
  return { tokens_in, tokens_out: piecesOut }
}

export const createMeters = ({ recorder, metrics, now }: Deps) => ({
  /** Every dispatched request starts a record here. */
  begin: ({ exchange, caller, operation, model, streamed, promptBytes }: Begun): Meter => {
    const startedAt = exchange.startedAt
    let connection_id: string | null = null
    let provider = ""
    let firstAt: number | null = null
    let settled = false
    let isEstimate = false
    metrics.began()

    return {
      sentTo: (connectionId, kind) => {
        connection_id = connectionId
        provider = kind
        if (connectionId !== null) exchange.connection = connectionId
      },

      estimated: () => {
        isEstimate = true
      },

      firstToken: () => {
        firstAt ??= performance.now()
      },

      settle: ({ outcome, status, tokens, piecesOut }) => {
        if (settled) return
        settled = true
        const record = {
          id: randomUUIDv7(),
          at: now(),
          ...whose(caller),
          operation,
          model,
          connection_id,
          streamed: bit(streamed),
          ...(tokens ?? estimate(outcome, promptBytes, piecesOut)),
          estimated: bit(isEstimate || tokens === null),
          time_to_first_token_ms: firstAt === null ? null : Math.round(firstAt - startedAt),
          duration_ms: Math.round(performance.now() - startedAt),
          outcome,
          status,
          request_id: exchange.requestId,
        }
        recorder.record(record)
        metrics.ended(record, provider)
      },
    }
  },
})

export type Meters = ReturnType<typeof createMeters>
