import { isClockSteady } from "../jobs/clock-watch.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { UsageStore } from "./store.ts"

const intervalMs = 3_600_000
const firstRunDelayMs = 60_000

interface Deps {
  store: UsageStore
  settings: SettingsStore
  now: () => number
}

/** Deletes usage records older than the setting `usage_retention`, in seconds; 0 keeps all. */
export const createRetention = ({ store, settings, now }: Deps) => {
  const deleteExpired = async (): Promise<void> => {
    const { usage_retention } = settings.current()
    if (usage_retention > 0) await store.deleteOlderThan(now() - usage_retention)
  }
  // A failure is harmless: the next run deletes the records.
  const run = () => {
    if (isClockSteady()) void deleteExpired().catch(() => {})
  }
  const firstTimer = setTimeout(run, firstRunDelayMs).unref()
  const timer = setInterval(run, intervalMs).unref()
  return {
    deleteExpired,
    close: (): void => {
      clearTimeout(firstTimer)
      clearInterval(timer)
    },
  }
}
