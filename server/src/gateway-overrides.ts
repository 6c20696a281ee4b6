import type { AuditSealerOptions } from "./audit/sealer.ts"
import type { PasswordCost } from "./auth/passwords.ts"
import type { ModelSearchOptions } from "./connections/connection-registry.ts"
import type { StorageMonitorOptions } from "./db/storage-monitor.ts"
import type { ProcessingOptions } from "./files/processing-job.ts"
import type { SseOptions } from "./http/sse-response.ts"
import type { ClockWatchOptions } from "./jobs/clock-watch.ts"
import type { HourlyDeletionOptions } from "./jobs/hourly-deletion.ts"
import type { JobQueueOptions } from "./jobs/queue.ts"
import type { KnowledgeOptions } from "./knowledge/create-knowledge.ts"
import type { LimitWarningOptions } from "./limits/warnings/limit-warnings.ts"
import type { ShippedPrices } from "./prices/price-registry.ts"
import type { Settings } from "./settings/schema.ts"
import type { WebhookOptions } from "./webhooks/create-webhooks.ts"

/**
 * Intervals and costs that tests reduce, and defaults that they change. Production uses the defaults: these options are arguments
 * only, and no setting or environment variable changes them.
 */
export interface GatewayOverrides
  extends StorageMonitorOptions,
    AuditSealerOptions,
    SseOptions,
    ClockWatchOptions,
    HourlyDeletionOptions,
    JobQueueOptions,
    ModelSearchOptions,
    ProcessingOptions,
    KnowledgeOptions,
    LimitWarningOptions,
    WebhookOptions {
  passwordCost?: PasswordCost
  defaultSettings?: Partial<Settings>
  /** Take the place of the table that comes with the gateway. */
  shippedPrices?: ShippedPrices
}
