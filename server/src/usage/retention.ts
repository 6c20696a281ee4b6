import { type ScheduledDeletionOptions, scheduleDeletion } from "../jobs/scheduled-deletion.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { UsageStore } from "./store.ts"

interface Deps extends ScheduledDeletionOptions {
  store: UsageStore
  settings: SettingsStore
  isClockTrusted: () => boolean
  now: () => number
}

/** Deletes usage records older than the setting `usage_retention`, in seconds; 0 keeps all. */
export const createRetention = ({ store, settings, now, ...deps }: Deps) => {
  const deleteExpired = async (): Promise<void> => {
    const { usage_retention } = settings.current()
    if (usage_retention > 0) await store.deleteOlderThan(now() - usage_retention)
  }
  return { deleteExpired, close: scheduleDeletion({ ...deps, deleteExpired }) }
}
