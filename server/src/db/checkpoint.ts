import { setPriority } from "node:os"
import { DatabaseSync } from "node:sqlite"
import { workerData } from "node:worker_threads"

/** Runs in a worker of its own: it waits for the disk, which requests must not. */
// On Linux this is the thread's own: requests on the same core go first.
if (process.platform === "linux") setPriority(0, 19)
const { path, mode } = workerData as { path: string; mode: "passive" | "truncate" }

const database = new DatabaseSync(path, { timeout: 1000 })
database.exec("pragma synchronous = normal")
database.exec(`pragma wal_checkpoint(${mode})`)
database.close()
