import { readFileSync } from "node:fs"
import type { Server } from "node:net"

const sayAgainMs = 60_000
/** For the database, files, and the connections to providers: of eight descriptors one, 64 at least. */
const shareKept = 8
const minReserved = 64

/** Files and sockets that this process may have open; undefined where the system does not say. */
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
 * Turns away connections that would take the last descriptors of the process, which the system would
 * do without a word, and not before the database could open no file any more.
 */
export const keepDescriptors = (server: Server, log: Log): void => {
  const limit = readDescriptorLimit()
  if (limit === undefined) return
  const max = limit - Math.max(minReserved, Math.floor(limit / shareKept))
  server.maxConnections = Math.max(1, max)
  let dropped = 0
  let saidAt = Number.NEGATIVE_INFINITY
  server.on("drop", () => {
    dropped++
    if (performance.now() - saidAt < sayAgainMs) return
    saidAt = performance.now()
    const fields = { open_files_limit: limit, connections: server.maxConnections, dropped }
    log.warn(
      fields,
      "Connections were turned away: the limit of open files is reached. Raise it (LimitNOFILE, ulimit -n).",
    )
  })
}
