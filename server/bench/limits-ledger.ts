/**
 * Measures what limits cost a request whose slices suffice: a reservation in ten accounts and its
 * settlement. Run with `node server/bench/limits-ledger.ts`.
 */
import { createLedger } from "../src/limits/ledger/ledger.ts"
import type { LimitRule } from "../src/limits/ledger/limit-rule.ts"
import { createMemoryLedgerStore } from "../test/limits/memory-ledger-store.ts"

const rounds = 10
const requestsPerRound = 100_000
const amount = 1e15

const metrics = ["requests", "tokens", "cost", "concurrency"] as const
const windows = ["day", "hour", "month", "total"] as const

const rules = Array.from(
  { length: 10 },
  (_, index): LimitRule => ({
    id: `limit ${index}`,
    metric: metrics[index % 4] ?? "cost",
    window: index > 7 ? "minute" : (windows[index % 3] ?? "total"),
    mode: "hard",
    timeZone: "Europe/Berlin",
    rolling: index % 2 === 0,
  }),
)

const worstCase = { requests: 1, tokens: 1000, cost: 1_000_000, concurrency: 1 }
const used = { requests: 1, tokens: 500, cost: 500_000, concurrency: 0 }

const store = createMemoryLedgerStore({ amountOf: () => amount, nowMs: Date.now })
const ledger = createLedger({
  store,
  processId: "benchmark",
  runInBackground: (_name, work) => work().then(() => true),
})
const limits = rules.map((rule) => ledger.track(rule))

/** @returns how many requests had to wait for a claim */
const runRound = async (): Promise<number> => {
  let waited = 0
  for (let request = 0; request < requestsPerRound; request++) {
    let admission = ledger.reserve({ limits, worstCase })
    if (admission instanceof Promise) {
      waited++
      admission = await admission
    }
    if (!admission.isAdmitted) throw new Error("A request was rejected")
    admission.settle(used)
  }
  return waited
}

for (let round = 1; round <= rounds; round++) {
  const startedAt = performance.now()
  const waited = await runRound()
  const microseconds = ((performance.now() - startedAt) * 1000) / requestsPerRound
  process.stdout.write(`${microseconds.toFixed(2)} µs per request, ${waited} waited\n`)
}
await ledger.close()
