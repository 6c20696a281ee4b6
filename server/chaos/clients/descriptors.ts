import { readdirSync, readlinkSync } from "node:fs"

const nameOf = (pid: number, descriptor: string): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`)
  } catch {
    // Closed since the folder was read.
    return undefined
  }
}

/** Ids and inodes: what differs between two of a kind. */
const withoutIds = (name: string): string =>
  name.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>").replace(/\d+/g, "<n>")

/** How many descriptors a process has open, by what they are open on. */
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
