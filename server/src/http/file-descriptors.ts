import { readFileSync } from "node:fs"
import type { Server } from "node:net"

const warningIntervalMs = 60_000
/** Reserved for the database, files and provider connections: 1 in 8 descriptors, at least 64. */
const reservedDivisor = 8
const minReserved = 64

/** Soft limit on open files of this process; undefined if the system does not provide it. */
const readDescriptorLimit = (): number | undefined => {
  try {
    const [, soft] =
      /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}

interface Log {
  warn(fields: object, message: string): void
}

/**
 * Rejects connections that would use up the process's file descriptors. Without this the system
 * rejects them silently, and only when the database can no longer open files either.
 */
export const reserveDescriptors = (server: Server, log: Log): void => {
  const limit = readDescriptorLimit()
  if (limit === undefined) return
  const max = limit - Math.max(minReserved, Math.floor(limit / reservedDivisor))
  server.maxConnections = Math.max(1, max)
  let dropped = 0
  let warnedAt = Number.NEGATIVE_INFINITY
  server.on("drop", () => {
    dropped++
    if (performance.now() - warnedAt < warningIntervalMs) return
    warnedAt = performance.now()
    const fields = { open_files_limit: limit, connections: server.maxConnections, dropped }
    log.warn(
      fields,
      "Rejecting connections: the open file limit is reached. Raise it with LimitNOFILE or ulimit -n.",
    )
  })
}
