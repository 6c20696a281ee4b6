import type { StorageUsage } from "./schema.ts"

const units = [
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "KB"],
] as const

/** Such as `4.1 GB`. */
const formatBytes = (bytes: number): string => {
  const [size, unit] = units.find(([size]) => bytes >= size) ?? [1, "bytes"]
  return `${Number((bytes / size).toFixed(size === 1e9 ? 2 : 1))} ${unit}`
}

/** What takes the most room first. */
const formatBreakdown = ({ breakdown }: StorageUsage): string =>
  Object.entries(breakdown)
    .filter(([, bytes]) => bytes > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, bytes]) => `${name} ${formatBytes(bytes)}`)
    .join(", ")

export const ownLimitMessage = (usage: StorageUsage): string => {
  const used = formatBreakdown(usage)
  const limit = `This would take you past your storage limit of ${formatBytes(usage.limit)} (MAX_STORAGE)`
  return used === "" ? `${limit}.` : `${limit}: ${used}. Delete what you no longer need.`
}

export const othersLimitMessage =
  "This would take its owner past their storage limit (MAX_STORAGE). Ask them to delete what they no longer need."

export const totalLimitMessage = (limit: number): string =>
  `This would take the gateway past its storage limit of ${formatBytes(limit)} for all users together (MAX_STORAGE). Ask your administrator.`
