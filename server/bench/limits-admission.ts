/**
 * Measures what limits cost a request whose slices suffice: what its admission, the headers of its
 * response and its settlement take of the CPU, without limits and with seven. Run with
 * `node server/bench/limits-admission.ts`.
 */
import type { Endpoint } from "../src/connections/connection-registry.ts"
import type { Caller } from "../src/http/caller.ts"
import { createAdmission } from "../src/limits/admission/admission.ts"
import type { AdmissionRequest } from "../src/limits/admission/admission-request.ts"
import { createReserve } from "../src/limits/admission/reserve.ts"
import { createLedger } from "../src/limits/ledger/ledger.ts"
import { createLimitRegistry } from "../src/limits/limit-registry.ts"
import type { StoredLimit } from "../src/limits/store.ts"
import { createEndpointPrices } from "../src/prices/endpoint-prices.ts"
import { createPriceIndex } from "../src/prices/price-index.ts"
import { createRequestCost } from "../src/prices/request-cost.ts"
import { noTokens } from "../src/usage/token-counts.ts"
import { createUsageRecorders } from "../src/usage/usage-recorder.ts"
import { createMemoryLedgerStore } from "../test/limits/memory-ledger-store.ts"
import { median } from "./measure/median.ts"

const rounds = 15
const requestsPerRound = 20_000
const amount = 1e15
const model = "gpt-bench"

type Values = Pick<StoredLimit, "target" | "metric" | "window"> & Partial<StoredLimit>

const createLimit = (values: Values, index: number): StoredLimit => ({
  id: `limit ${index}`,
  ...{ amount, mode: "hard", time_zone: "Europe/Berlin", rolling: false, raise: null },
  ...{ set_by: "administrator", group_id: null, createdMs: index, updatedMs: index },
  ...values,
})

const sevenLimits = [
  { target: { type: "everyone" }, metric: "cost", window: "month" },
  { target: { type: "group", id: "team" }, metric: "cost", window: "day", rolling: true },
  { target: { type: "user", id: "eve" }, metric: "tokens", window: "minute" },
  { target: { type: "user", id: "eve" }, metric: "requests", window: "minute" },
  { target: { type: "key", id: "key" }, metric: "concurrency", window: "total" },
  { target: { type: "model", id: model }, metric: "tokens", window: "day" },
  { target: { type: "connection", id: "openai" }, metric: "cost", window: "month" },
] as const satisfies Values[]

const caller: Caller = {
  user: { id: "eve", email: "eve@example.com", name: "Eve", role: "user" },
  groups: new Set(["team", "everyone"]),
  paying_group: "team",
  credential: {
    type: "key",
    id: "key",
    limits: { allowed_models: null, allowed_routes: null, expires_at: null },
  },
  confirmed_at: 0,
}

const config = {
  id: "openai",
  kind: "openai",
  base_url: "https://api.example.com/v1",
  id_prefix: null,
}
// Only these parts of an endpoint are read.
const endpoint = {
  id: model,
  connection: { config },
  model: { name: model, context_length: null },
} as Endpoint

const priceIndex = createPriceIndex({
  custom: [{ model, from: 0, input: 1250, cached_input: 125, output: 10_000, max_output: 128_000 }],
  shipped: [],
  providerOfHost: () => null,
})

const measureLimits = async (limits: readonly StoredLimit[]) => {
  const ledger = createLedger({
    store: createMemoryLedgerStore({ amountOf: () => amount, nowMs: Date.now }),
    processId: "benchmark",
    runInBackground: (_name, work) => work().then(() => true),
  })
  const registry = await createLimitRegistry({
    store: { list: async () => [...limits], findById: async () => undefined },
    bus: { publish: async () => {}, subscribe: () => {} } as never,
    ledger,
  })
  const usageRecorders = createUsageRecorders({
    recordQueue: { enqueue: () => {} } as never,
    metrics: { recordStart: () => {}, recordEnd: () => {} } as never,
    requestCost: createRequestCost(priceIndex),
    now: () => Math.floor(Date.now() / 1000),
  })
  const admit = createAdmission({
    ...{ usageRecorders, registry, ledger, nowMs: Date.now },
    reserve: createReserve({ ledger, nowMs: Date.now, onRejected: () => {} }),
    endpointPrices: createEndpointPrices({
      priceRegistry: priceIndex,
      now: () => Math.floor(Date.now() / 1000),
    }),
    settings: { current: () => ({ unpriced_models: "admit" }) as never },
  })
  const prompt = { bytes: Buffer.alloc(200) }
  const size = { maxTokensIn: 232, maxTokensOut: 1000, choices: 1, serviceTier: null }
  const request: AdmissionRequest = {
    context: { requestId: "id", startedAt: performance.now(), connection: undefined } as never,
    ...{ caller, operation: "chat", model, streamed: false, prompt, modelIds: [model] },
    ...{ endpoints: [endpoint], isNested: false, measure: () => size },
  }
  const target = { connection: endpoint.connection, model, serviceTier: null } as never
  const tokens = { ...noTokens, tokens_in: 50, tokens_out: 20 }
  let headersLength = 0

  const runOne = async (): Promise<void> => {
    const admitting = admit(request)
    const admitted = admitting instanceof Promise ? await admitting : admitting
    const attempting = admitted.reserveAttempt(target)
    if (attempting instanceof Promise) await attempting
    admitted.usageRecorder.setTarget(target, 1)
    headersLength += admitted.limitHeaders("openai").length
    admitted.usageRecorder.settle({ outcome: "ok", status: 200, tokens, chunksOut: 0 })
  }

  return {
    runRound: async (): Promise<number> => {
      const before = process.cpuUsage()
      for (let count = 0; count < requestsPerRound; count++) {
        await runOne()
        if (count % 1000 === 0) await ledger.renew()
      }
      const { user, system } = process.cpuUsage(before)
      return (user + system) / requestsPerRound
    },
    close: async () => {
      await ledger.close()
      return headersLength
    },
  }
}

const free = await measureLimits([])
const limited = await measureLimits(sevenLimits.map(createLimit))
const times: { free: number; limited: number }[] = []
for (let round = 0; round < rounds; round++)
  times.push({ free: await free.runRound(), limited: await limited.runRound() })
await free.close()
if ((await limited.close()) === 0) throw new Error("There were no headers")
const last = times.slice(5)
const format = (values: readonly number[]): string => `${median(values).toFixed(2)} µs`
process.stdout.write(`without limits: ${format(last.map((time) => time.free))} per request\n`)
process.stdout.write(`with ${sevenLimits.length}: ${format(last.map((time) => time.limited))}\n`)
