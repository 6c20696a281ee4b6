import { DatabaseSync } from "node:sqlite"
import { workerData } from "node:worker_threads"
import { lowerThreadPriority } from "../concurrency/thread-priority.ts"
import type { CheckpointTask } from "./checkpointer.ts"

/** Worker thread that checkpoints the WAL: it blocks on the disk, which requests must not. */
/** Frames that a disk writes within a few milliseconds. */
const minFrames = 100
const maxRounds = 5
const { path, mode, isUrgent }: CheckpointTask = workerData
if (!isUrgent) lowerThreadPriority(19)

const database = new DatabaseSync(path, { timeout: 1000 })
database.exec("pragma synchronous = normal")
// Passive checkpoints move most of the log without blocking writers, and repeat for what was
// written in the meantime, less each round. Only the final checkpoint blocks writers.
const state = database.prepare("pragma wal_checkpoint(noop)")
for (let round = 0; round < maxRounds; round++) {
  database.exec("pragma wal_checkpoint(passive)")
  const { log, checkpointed } = state.get() as { log: number; checkpointed: number }
  if (log - checkpointed < minFrames) break
}
const last = database.prepare(`pragma wal_checkpoint(${mode})`)
const { busy } = last.get() as { busy: number }
database.close()
// Blocked by a reader or a writer.
if (busy !== 0) process.exit(1)
