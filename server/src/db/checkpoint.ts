import { DatabaseSync } from "node:sqlite"
import { workerData } from "node:worker_threads"
import { giveWay } from "../give-way.ts"

/** Runs in a worker of its own: it waits for the disk, which requests must not. */
giveWay(19)
/** Pages that a disk takes within a few ms. */
const fewFrames = 100
const mostRounds = 5
const { path, ending } = workerData as { path: string; ending: "restart" | "truncate" }

const database = new DatabaseSync(path, { timeout: 1000 })
database.exec("pragma synchronous = normal")
// Most of it beside the writers, and again what they wrote meanwhile, which is less each time: for
// the last of it they wait.
const state = database.prepare("pragma wal_checkpoint(noop)")
for (let round = 0; round < mostRounds; round++) {
  database.exec("pragma wal_checkpoint(passive)")
  const { log, checkpointed } = state.get() as { log: number; checkpointed: number }
  if (log - checkpointed < fewFrames) break
}
database.exec(`pragma wal_checkpoint(${ending})`)
database.close()
