import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Config } from "../config/config.ts"
import type { Database } from "../db/database.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { RequestCost } from "./charged-request.ts"
import { createMetrics } from "./metrics.ts"
import { createRecordDeletion } from "./record-deletion.ts"
import { createRecordQueue } from "./record-queue.ts"
import { createUsageStore } from "./store.ts"
import { createUsageSummation } from "./sum-usage.ts"
import { createUsageSumsStore } from "./sums-store.ts"
import { createUsageExport } from "./usage-export.ts"
import { createUsageRecorders } from "./usage-recorder.ts"
import { createUsageReports } from "./usage-report.ts"

const sumIntervalMs = 60_000
/** Not while the gateway starts. */
const firstSumMs = 10_000

interface Deps {
  background: BackgroundTasks
  config: Pick<Config, "METRICS_LABELS">
  db: Database
  settings: SettingsStore
  requestCost: RequestCost
  newId: () => string
  now: () => number
  /** The names of operations in metrics, by those in usage records. */
  metricNames: ReadonlyMap<string, string>
  /** Number of files that are still to be read again after an upgrade. */
  filesToReread: () => Promise<number>
}

/** Creates the parts that record usage, export metrics and delete expired records. */
export const createUsage = ({
  background,
  db,
  settings,
  requestCost,
  newId,
  now,
  ...deps
}: Deps) => {
  const recordQueue = createRecordQueue({ db, background })
  const metrics = createMetrics({
    recordQueue,
    background,
    operationNames: deps.metricNames,
    filesToReread: deps.filesToReread,
    costLabels: deps.config.METRICS_LABELS,
  })
  const usageStore = createUsageStore(db)
  const sumsStore = createUsageSumsStore({ db, newId })
  const deleteRecords = createRecordDeletion(db)
  const sumUsage = createUsageSummation({ store: sumsStore, now })
  background.every(sumIntervalMs, "sum usage records", () => sumUsage(background.signal), {
    firstAfterMs: firstSumMs,
  })
  return {
    recordQueue,
    metrics,
    usageRecorders: createUsageRecorders({ recordQueue, metrics, requestCost, now }),
    usageExport: createUsageExport(db),
    usageReports: createUsageReports({ store: usageStore, now }),

    /** Deletes records older than the setting `usage_retention`, in seconds; 0 keeps all. */
    deleteExpiredUsage: async (signal?: AbortSignal): Promise<void> => {
      const { usage_retention } = settings.current()
      if (usage_retention > 0) await deleteRecords(now() - usage_retention, signal)
    },

    close: recordQueue.close,
  }
}
