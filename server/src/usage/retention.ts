import { isClockSteady } from "../jobs/clock-watch.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { UsageStore } from "./store.ts"

const everyMs = 3_600_000
const firstMs = 60_000

interface Deps {
  usage: UsageStore
  settings: SettingsStore
  now: () => number
}

/** Deletes usage records older than the setting `usage_retention`, in seconds; 0 keeps all. */
export const createRetention = ({ usage, settings, now }: Deps) => {
  const sweep = async (): Promise<void> => {
    const { usage_retention } = settings.current()
    if (usage_retention > 0) await usage.dropOlder(now() - usage_retention)
  }
  // A failure is harmless: the next run deletes the records.
  const later = () => {
    if (isClockSteady()) void sweep().catch(() => {})
  }
  const first = setTimeout(later, firstMs).unref()
  const timer = setInterval(later, everyMs).unref()
  return {
    sweep,
    close: (): void => {
      clearTimeout(first)
      clearInterval(timer)
    },
  }
}
