import { DatabaseSync } from "node:sqlite"
import { workerData } from "node:worker_threads"
import { giveWay } from "../limits/thread-priority.ts"

/** Runs in a worker of its own: it waits for the disk, which requests must not. */
/** Pages that a disk takes within a few ms. */
const minFrames = 100
const maxRounds = 5
const { path, ending, isUrgent } = workerData as {
  path: string
  ending: "restart" | "truncate"
  /** The disk is about to be full. */
  isUrgent: boolean
}
if (!isUrgent) giveWay(19)

const database = new DatabaseSync(path, { timeout: 1000 })
database.exec("pragma synchronous = normal")
// Most of it beside the writers, and again what they wrote meanwhile, which is less each time: for
// the last of it they wait.
const state = database.prepare("pragma wal_checkpoint(noop)")
for (let round = 0; round < maxRounds; round++) {
  database.exec("pragma wal_checkpoint(passive)")
  const { log, checkpointed } = state.get() as { log: number; checkpointed: number }
  if (log - checkpointed < minFrames) break
}
const last = database.prepare(`pragma wal_checkpoint(${ending})`)
const { busy } = last.get() as { busy: number }
database.close()
// A reader or a writer was in the way.
if (busy !== 0) process.exit(1)
