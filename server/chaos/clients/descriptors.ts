import { readdirSync, readlinkSync } from "node:fs"

const nameOf = (pid: number, descriptor: string): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`)
  } catch {
    // Closed after the directory was read.
    return undefined
  }
}

/** Replaces ids and inodes so that descriptors of the same kind compare equal. */
const withoutIds = (name: string): string =>
  name.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>").replace(/\d+/g, "<n>")

/** Counts the open descriptors of a process by kind of target. */
export const openDescriptors = (pid: number): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const descriptor of readdirSync(`/proc/${pid}/fd`)) {
    const name = nameOf(pid, descriptor)
    if (name === undefined) continue
    const kind = withoutIds(name)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}
