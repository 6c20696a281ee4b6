import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import { type CostLabel, createCostMetric } from "./cost-metric.ts"
import { createFastMetric } from "./prometheus-metric.ts"
import type { RecordQueue, UsageRecord } from "./record-queue.ts"

/** Buckets recommended by the OpenTelemetry semantic conventions for generative AI, in seconds. */
const durationBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]
const firstTokenBuckets = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
]

/** The database is not asked during a scrape, which must not fail or wait with it. */
const countIntervalMs = 10_000

interface Deps {
  recordQueue: RecordQueue
  background: BackgroundTasks
  /** The names of operations in metrics, by those in usage records. */
  operationNames: ReadonlyMap<string, string>
  filesToReread: () => Promise<number>
  /** Further labels of the cost. */
  costLabels: readonly CostLabel[]
}

interface LabeledGauge {
  name: string
  help: string
  labelNames: readonly string[]
  read: () => Iterable<{ labels: Record<string, string>; value: number }>
}

/**
 * Prometheus metrics, named after the OpenTelemetry semantic conventions for generative AI
 * (gen_ai.server.request.duration, gen_ai.server.time_to_first_token, gen_ai.client.token.usage).
 */
export interface Metrics {
  /** Of what `render` returns. */
  readonly contentType: string
  /** Adds a gauge with labels, read at each scrape. */
  registerGauge(gauge: LabeledGauge): void
  recordStart(): void
  recordEnd(record: UsageRecord, provider: string): void
  render(): Promise<string>
}

export const createMetrics = (deps: Deps): Metrics => {
  const { recordQueue, background, operationNames, filesToReread, costLabels } = deps
  const register = new Registry()
  collectDefaultMetrics({ register })
  const duration = createFastMetric({
    name: "gen_ai_server_request_duration_seconds",
    help: "Duration of generative AI requests, by outcome",
    buckets: durationBuckets,
  })
  const firstToken = createFastMetric({
    name: "gen_ai_server_time_to_first_token_seconds",
    help: "Time to the first token of successful responses",
    buckets: firstTokenBuckets,
  })
  const tokens = createFastMetric({
    name: "gen_ai_client_token_usage_total",
    help: "Input and output tokens",
    buckets: [],
  })
  const cost = createCostMetric(costLabels)
  for (const { metric } of [duration, firstToken, tokens, cost]) register.registerMetric(metric)
  let inFlight = 0
  let outdatedFiles = 0
  background.every(
    countIntervalMs,
    "count files to be read again",
    async () => {
      outdatedFiles = await filesToReread()
    },
    { firstAfterMs: 0 },
  )
  const addGauge = (name: string, help: string, read: () => number): void => {
    const collect = (): void => gauge.set(read())
    const gauge: Gauge = new Gauge({ name, help, registers: [register], collect })
  }
  addGauge("portico_requests_running", "Model requests in flight", () => inFlight)
  addGauge("portico_usage_records_queued", "Usage records waiting to be written", () =>
    recordQueue.queuedCount(),
  )
  addGauge(
    "portico_files_to_reread",
    "Files to be read again after an upgrade",
    () => outdatedFiles,
  )
  new Counter({
    name: "portico_usage_records_dropped_total",
    help: "Usage records lost because the queue was full",
    registers: [register],
    collect() {
      this.reset()
      this.inc(recordQueue.dropped())
    },
  })
  new Counter({
    name: "portico_background_failures_total",
    help: "Failed runs of background tasks",
    labelNames: ["task"],
    registers: [register],
    collect() {
      this.reset()
      for (const [task, count] of background.failureCounts()) this.inc({ task }, count)
    },
  })

  const countersOf = ({ operation, model, outcome }: UsageRecord, provider: string) => {
    const labels = {
      gen_ai_operation_name: operationNames.get(operation) ?? operation,
      gen_ai_request_model: model,
      gen_ai_provider_name: provider,
    }
    const error_type = outcome === "ok" ? "" : outcome
    return {
      duration: duration.series({ ...labels, error_type }),
      firstToken: firstToken.series(labels),
      input: tokens.series({ ...labels, gen_ai_token_type: "input" }),
      output: tokens.series({ ...labels, gen_ai_token_type: "output" }),
    }
  }
  const countersByKey = new Map<string, ReturnType<typeof countersOf>>()

  const countersFor = (record: UsageRecord, provider: string) => {
    const key = `${record.operation}\n${record.model}\n${provider}\n${record.outcome}`
    const known = countersByKey.get(key)
    if (known) return known
    const created = countersOf(record, provider)
    countersByKey.set(key, created)
    return created
  }

  return {
    registerGauge: ({ name, help, labelNames, read }) => {
      const collect = (): void => {
        gauge.reset()
        for (const { labels, value } of read()) gauge.set(labels, value)
      }
      const gauge = new Gauge({ name, help, labelNames, registers: [register], collect })
    },

    recordStart: () => {
      inFlight++
    },

    recordEnd: (record, provider) => {
      inFlight--
      const counters = countersFor(record, provider)
      duration.observe(counters.duration, Number(record.duration_ms) / 1000)
      const first = record.time_to_first_token_ms
      if (typeof first === "number" && record.outcome === "ok") {
        firstToken.observe(counters.firstToken, first / 1000)
      }
      tokens.observe(counters.input, Number(record.tokens_in))
      tokens.observe(counters.output, Number(record.tokens_out))
      cost.record(record, provider)
    },

    contentType: register.contentType,
    render: () => register.metrics(),
  }
}
