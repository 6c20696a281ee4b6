import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client"
import type { Recorder, UsageRecord } from "./recorder.ts"

/** Buckets that the OpenTelemetry semantic conventions for generative AI advise, in seconds. */
const durationBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]
const firstTokenBuckets = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
]

const operations: Record<string, string> = {
  "chat/completions": "chat",
  completions: "text_completion",
  embeddings: "embeddings",
  responses: "chat",
}

/**
 * Counters in Prometheus form, named after the OpenTelemetry semantic conventions for generative
 * AI (gen_ai.server.request.duration, gen_ai.server.time_to_first_token, gen_ai.client.token.usage).
 */
export const createMetrics = (recorder: Recorder) => {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const labelNames = ["gen_ai_operation_name", "gen_ai_request_model", "gen_ai_provider_name"]
  const duration = new Histogram({
    name: "gen_ai_server_request_duration_seconds",
    help: "Time of generative AI requests, by outcome",
    labelNames: [...labelNames, "error_type"],
    buckets: durationBuckets,
    registers: [register],
  })
  const firstToken = new Histogram({
    name: "gen_ai_server_time_to_first_token_seconds",
    help: "Time to the first token of successful replies",
    labelNames,
    buckets: firstTokenBuckets,
    registers: [register],
  })
  const tokens = new Counter({
    name: "gen_ai_client_token_usage_total",
    help: "Tokens read and written",
    labelNames: [...labelNames, "gen_ai_token_type"],
    registers: [register],
  })
  const running = new Gauge({
    name: "portico_requests_running",
    help: "Model requests under way",
    registers: [register],
  })
  new Gauge({
    name: "portico_usage_records_queued",
    help: "Usage records that wait to be written",
    registers: [register],
    collect() {
      this.set(recorder.queued())
    },
  })
  new Counter({
    name: "portico_usage_records_dropped_total",
    help: "Usage records lost because the queue was full",
    registers: [register],
    collect() {
      this.reset()
      this.inc(recorder.dropped())
    },
  })

  return {
    began: (): void => running.inc(),

    ended: (record: UsageRecord, provider: string): void => {
      running.dec()
      const labels = {
        gen_ai_operation_name: operations[record.operation] ?? record.operation,
        gen_ai_request_model: record.model,
        gen_ai_provider_name: provider,
      }
      const error_type = record.outcome === "ok" ? "" : record.outcome
      duration.observe({ ...labels, error_type }, record.duration_ms / 1000)
      if (record.time_to_first_token_ms !== null && record.outcome === "ok") {
        firstToken.observe(labels, Number(record.time_to_first_token_ms) / 1000)
      }
      tokens.inc({ ...labels, gen_ai_token_type: "input" }, Number(record.tokens_in))
      tokens.inc({ ...labels, gen_ai_token_type: "output" }, Number(record.tokens_out))
    },

    contentType: register.contentType,
    text: (): Promise<string> => register.metrics(),
  }
}

export type Metrics = ReturnType<typeof createMetrics>
