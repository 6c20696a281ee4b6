import { setPriority } from "node:os"
import { DatabaseSync } from "node:sqlite"
import { workerData } from "node:worker_threads"

/** Runs in a worker of its own: it waits for the disk, which requests must not. */
// On Linux this is the thread's own: requests on the same core go first.
if (process.platform === "linux") setPriority(0, 19)
const { path, ending } = workerData as { path: string; ending: "restart" | "truncate" }

const database = new DatabaseSync(path, { timeout: 1000 })
database.exec("pragma synchronous = normal")
// Most of it beside the writers; they wait for the little that they wrote meanwhile.
database.exec("pragma wal_checkpoint(passive)")
database.exec(`pragma wal_checkpoint(${ending})`)
database.close()
