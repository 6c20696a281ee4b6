import { createLedger } from "../../src/limits/ledger/ledger.ts"
import type { ClaimReply, LedgerStore } from "../../src/limits/ledger/ledger-store.ts"
import type { Amounts, LimitRule } from "../../src/limits/ledger/limit-rule.ts"
import type { Reservation } from "../../src/limits/ledger/reservation.ts"
import { createMemoryLedgerStore } from "./memory-ledger-store.ts"

export const dayMs = 86_400_000

export const rule = (changes: Partial<LimitRule>): LimitRule => ({
  ...{ id: "limit", metric: "cost", window: "day", mode: "hard", timeZone: "UTC", rolling: false },
  ...changes,
})

export const amounts = (cost: number): Amounts => ({
  requests: 1,
  tokens: cost,
  cost,
  concurrency: 1,
})

/** Ledgers that share a store in memory, whose answers and clocks the test controls. */
export const createLedgers = (amount: number) => {
  let wall = Date.UTC(2026, 10, 28, 12)
  let steady = 0
  const store = createMemoryLedgerStore({ amountOf: () => amount, nowMs: () => wall })
  /** Claims wait here while they are held up. */
  const delayed: (() => void)[] = []
  let mode: "answer" | "fail" | "delay" = "answer"
  const controlled: LedgerStore = {
    ...store,
    claim: async (request): Promise<ClaimReply> => {
      if (mode === "fail") throw new Error("connection lost")
      if (mode === "delay") await new Promise<void>((resolve) => delayed.push(resolve))
      return store.claim(request)
    },
  }
  const open = (processId: string, admitsWithoutDatabase = false) =>
    createLedger({
      store: controlled,
      processId,
      admitsWithoutDatabase: () => admitsWithoutDatabase,
      wallMs: () => wall,
      steadyMs: () => steady,
      runInBackground: (_name, work) =>
        work().then(
          () => true,
          () => false,
        ),
    })
  return {
    open,
    store,
    setMode: (next: typeof mode) => {
      mode = next
      if (next !== "delay") for (const resume of delayed.splice(0)) resume()
    },
    passTime: (ms: number) => {
      wall += ms
      steady += ms
    },
    setClock: (ms: number) => {
      wall += ms
    },
    spent: () => store.accounts().map((account) => account.spent),
  }
}

type Opened = ReturnType<ReturnType<typeof createLedgers>["open"]>

export const admit = async (
  ledger: Opened,
  limitRule: LimitRule,
  cost: number,
): Promise<Reservation> => {
  const limits = [ledger.track(limitRule)]
  const admission = await ledger.reserve({ limits, worstCase: amounts(cost) })
  if (!admission.isAdmitted) throw new Error(`rejected by ${JSON.stringify(admission.blocked)}`)
  return admission
}
