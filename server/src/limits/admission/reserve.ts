import type { BlockedLimit } from "../ledger/blocked-limit.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Admission, Rejection, Reservation } from "../ledger/reservation.ts"
import type { ActiveLimit } from "../limit-registry.ts"
import { createLimitFailure, createUnreachableFailure } from "./limit-failure.ts"
import { createLimitHeaders, findTighter, type LimitedMetrics } from "./limit-headers.ts"
import {
  findFittingOutput,
  isSized,
  minOutputTokens,
  oneRequest,
  type WorstCase,
} from "./worst-case.ts"

/** Other limits may leave even less room than the one that is reported first. */
const maxReductions = 3

/** What to reserve. */
export interface Need {
  worstCase: WorstCase
  maxTokensOut: number
  /** Whether less output will do. */
  isReducible: boolean
}

export interface Reserved {
  reservation: Reservation
  maxTokensOut: number
}

/** A request without its tokens and cost. */
export const countOnly: Need = {
  worstCase: () => oneRequest,
  maxTokensOut: 0,
  isReducible: false,
}

interface Deps {
  ledger: Pick<Ledger, "reserve" | "describe" | "readClocks">
  nowMs: () => number
  /** Called with the limit that rejected a request. */
  onRejected: (blocked: BlockedLimit) => void
}

/** Reserves from all limits, or from none. @throws {LimitFailure} if one does not allow it */
export type Reserve = (limits: readonly ActiveLimit[], need: Need) => Reserved | Promise<Reserved>

/** The tightest limits on requests and tokens, for clients. */
export const findTightestLimits = (
  limits: readonly ActiveLimit[],
  ledger: Pick<Ledger, "describe" | "readClocks">,
): LimitedMetrics => {
  const tightest: LimitedMetrics = { requests: null, tokens: null }
  const times = ledger.readClocks()
  for (const { metric, tracked } of limits)
    if (metric === "requests" || metric === "tokens")
      tightest[metric] = findTighter(tightest[metric], ledger.describe(tracked, times))
  return tightest
}

const toRecord = (headers: readonly string[]): Record<string, string> => {
  const record: Record<string, string> = {}
  for (const [index, name] of headers.entries())
    if (index % 2 === 0) record[name] = headers[index + 1] ?? ""
  return record
}

export const createReserve = (deps: Deps): Reserve => {
  const { ledger, nowMs, onRejected } = deps

  const askLedger = (
    limits: readonly ActiveLimit[],
    { worstCase, maxTokensOut }: Need,
  ): Admission | Promise<Admission> => {
    const tracked = limits.map((limit) => limit.tracked)
    return ledger.reserve({ limits: tracked, worstCase: worstCase(maxTokensOut) })
  }

  const failRejected = (limits: readonly ActiveLimit[], { blocked }: Rejection): never => {
    const limit = limits.find(({ id }) => id === blocked?.limitId)
    if (!(blocked && limit)) throw createUnreachableFailure()
    onRejected(blocked)
    const at = nowMs()
    const tightest = findTightestLimits(limits, ledger)
    const headers = {
      openai: toRecord(createLimitHeaders(tightest, "openai", at)),
      anthropic: toRecord(createLimitHeaders(tightest, "anthropic", at)),
    }
    throw createLimitFailure(limit, blocked, { at, headers })
  }

  /** The same with the output that the blocking limit leaves room for; null if that is too little. */
  const reduceOutput = (need: Need, { blocked }: Rejection): Need | null => {
    if (!(need.isReducible && blocked && isSized(blocked.metric))) return null
    const { metric, available: left } = blocked
    const max = need.maxTokensOut - 1
    const maxTokensOut = findFittingOutput(need.worstCase, { metric, left, max })
    return maxTokensOut < minOutputTokens ? null : { ...need, maxTokensOut }
  }

  const reserveReduced = async (
    limits: readonly ActiveLimit[],
    need: Need,
    firstAdmission: Promise<Admission>,
  ): Promise<Reserved> => {
    let present = need
    let admission = await firstAdmission
    for (let round = 0; round < maxReductions && !admission.isAdmitted; round++) {
      const reduced = reduceOutput(present, admission)
      if (!reduced) break
      present = reduced
      admission = await askLedger(limits, present)
    }
    if (!admission.isAdmitted) return failRejected(limits, admission)
    return { reservation: admission, maxTokensOut: present.maxTokensOut }
  }

  return (limits, need) => {
    const admission = askLedger(limits, need)
    if (admission instanceof Promise) return reserveReduced(limits, need, admission)
    if (!admission.isAdmitted) return failRejected(limits, admission)
    return { reservation: admission, maxTokensOut: need.maxTokensOut }
  }
}
