import type { Ledger } from "../ledger/ledger.ts"
import type { Admission, Rejection, Reservation } from "../ledger/reservation.ts"
import type { ActiveLimit } from "../limit-registry.ts"
import { createLimitFailure, createUnreachableFailure } from "./limit-failure.ts"
import { createLimitHeaders } from "./limit-headers.ts"
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
  ledger: Pick<Ledger, "reserve" | "describe">
  nowMs: () => number
}

/** Reserves from all limits, or from none. @throws {LimitFailure} if one does not allow it */
export type Reserve = (limits: readonly ActiveLimit[], need: Need) => Reserved | Promise<Reserved>

/** The limits with what is left of them, for clients. */
export const describeLimits = (
  { ledger, nowMs }: Pick<Deps, "nowMs"> & { ledger: Pick<Ledger, "describe"> },
  limits: readonly ActiveLimit[],
) => {
  const statesOf = (metric: string) =>
    limits.flatMap((limit) => {
      const state = limit.metric === metric ? ledger.describe(limit.tracked) : null
      return state ? [state] : []
    })
  const states = { requests: statesOf("requests"), tokens: statesOf("tokens") }
  return createLimitHeaders(states, nowMs())
}

export const createReserve = (deps: Deps): Reserve => {
  const { ledger, nowMs } = deps

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
    const headers = describeLimits(deps, limits)
    throw createLimitFailure(limit, blocked, { at: nowMs(), headers })
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
