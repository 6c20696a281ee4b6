import type { AuditSealerOptions } from "./audit/sealer.ts"
import type { PasswordCost } from "./auth/passwords.ts"
import type { StorageMonitorOptions } from "./db/storage-monitor.ts"
import type { SseOptions } from "./http/sse-response.ts"
import type { KnowledgeOptions } from "./knowledge/create-knowledge.ts"

/**
 * Intervals and costs that tests reduce. Production uses the defaults: these options are arguments
 * only, and no setting or environment variable changes them.
 */
export interface GatewayOptions
  extends StorageMonitorOptions,
    AuditSealerOptions,
    SseOptions,
    KnowledgeOptions {
  passwordCost?: PasswordCost
}
