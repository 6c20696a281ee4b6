import type { Database } from "../db/database.ts"
import type { ScheduledDeletionOptions } from "../jobs/scheduled-deletion.ts"
import type { SettingsStore } from "../settings/settings.ts"
import { createMetrics } from "./metrics.ts"
import { createRecordQueue } from "./record-queue.ts"
import { createRetention } from "./retention.ts"
import { createUsageStore } from "./store.ts"
import { createUsageRecorders } from "./usage-recorder.ts"

interface Deps extends ScheduledDeletionOptions {
  db: Database
  settings: SettingsStore
  isClockTrusted: () => boolean
  now: () => number
}

/** Creates the parts that record usage, export metrics and delete expired records. */
export const createUsage = ({ db, settings, now, ...deps }: Deps) => {
  const recordQueue = createRecordQueue(db)
  const metrics = createMetrics(recordQueue)
  const usageStore = createUsageStore(db)
  const retention = createRetention({ ...deps, store: usageStore, settings, now })
  return {
    recordQueue,
    metrics,
    usageRecorders: createUsageRecorders({ recordQueue, metrics, now }),
    usageStore,
    close: async (): Promise<void> => {
      retention.close()
      await recordQueue.close()
    },
  }
}
