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

export const ownLimitMessage = (usage: StorageUsage): string => {
  const used = formatBreakdown(usage)
  const limit = `This would exceed your storage limit of ${formatBytes(usage.limit)} (MAX_STORAGE)`
  return used === "" ? `${limit}.` : `${limit}: ${used}. Delete what you no longer need.`
}

export const ownerLimitMessage =
  "This would exceed the owner's storage limit (MAX_STORAGE). Ask the owner to delete what they no longer need."

export const totalLimitMessage = (limit: number): string =>
  `This would exceed the gateway's storage limit of ${formatBytes(limit)} for all users together (MAX_STORAGE). Ask your administrator to raise it or free up space.`
