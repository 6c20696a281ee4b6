import type { Ledger } from "../../src/limits/ledger/ledger.ts"
import type { Amounts } from "../../src/limits/ledger/limit-rule.ts"
import type { Reservation } from "../../src/limits/ledger/reservation.ts"
import type { TrackedLimit } from "../../src/limits/ledger/tracked-limit.ts"
import type { Chooser } from "../harness/random.ts"
import type { ModelHold } from "./ledger-model.ts"

export interface OpenRequest {
  reservation: Reservation
  holds: ModelHold[]
  worstCase: Amounts
  admittedAt: number
}

export interface Process {
  id: string
  ledger: Ledger
  open: OpenRequest[]
  skewMs: number
  /** As of its last reload, by their name. */
  limitByName: Map<string, TrackedLimit>
}

/** What passed a limit per minute. */
export interface Passage {
  limitId: string
  at: number
  used: number
}

/** What a request really uses. */
export const chooseUse = (
  choose: Chooser,
  { worstCase, canOverrun }: { worstCase: Amounts; canOverrun: boolean },
): Amounts => {
  const kind = choose.below(10)
  if (kind === 0) return { requests: 0, tokens: 0, cost: 0, concurrency: 0 }
  const isOverrun = canOverrun && kind === 1
  const tokens = isOverrun ? worstCase.tokens * 2 : choose.below(worstCase.tokens + 1)
  const cost = Math.floor((worstCase.cost * tokens) / worstCase.tokens)
  return { requests: 1, tokens, cost, concurrency: 0 }
}
