import type { Database } from "../db/database.ts"
import type { SettingsStore } from "../settings/settings.ts"
import { createMetrics } from "./metrics.ts"
import { createRecorder } from "./record-queue.ts"
import { createRetention } from "./retention.ts"
import { createUsageStore } from "./store.ts"
import { createMeters } from "./usage-recorder.ts"

interface Deps {
  db: Database
  settings: SettingsStore
  now: () => number
}

/** Creates the parts that record usage, export metrics and delete expired records. */
export const createUsage = ({ db, settings, now }: Deps) => {
  const recorder = createRecorder(db)
  const metrics = createMetrics(recorder)
  const usage = createUsageStore(db)
  const retention = createRetention({ usage, settings, now })
  return {
    recorder,
    metrics,
    meters: createMeters({ recorder, metrics, now }),
    usage,
    close: async (): Promise<void> => {
      retention.close()
      await recorder.close()
    },
  }
}
