import { type TranslatableMessage, translatable } from "../i18n/message.ts"
import type { StorageUsage } from "./schema.ts"

const units = [
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "KB"],
] as const

/** Formats bytes, such as `4.1 GB`. */
const formatBytes = (bytes: number): string => {
  const [size, unit] = units.find(([size]) => bytes >= size) ?? [1, "bytes"]
  return `${Number((bytes / size).toFixed(size === 1e9 ? 2 : 1))} ${unit}`
}

/** Categories, largest first. */
const formatBreakdown = ({ breakdown }: StorageUsage): string =>
  Object.entries(breakdown)
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, bytes]) => `${name} ${formatBytes(bytes)}`)
    .join(", ")

export const ownLimitMessage = (usage: StorageUsage): TranslatableMessage => {
  const limit = formatBytes(usage.limit)
  const used = formatBreakdown(usage)
  return used === ""
    ? translatable("storage_limit_reached", { limit })
    : translatable("storage_limit_reached_by", { limit, used })
}

export const ownerLimitMessage = translatable("owner_storage_limit_reached")

export const totalLimitMessage = (limit: number): TranslatableMessage =>
  translatable("total_storage_limit_reached", { limit: formatBytes(limit) })
