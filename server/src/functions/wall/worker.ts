import { setPriority } from "node:os"
import { workerData } from "node:worker_threads"
import type { WorkerData } from "./protocol.ts"

const { niceness }: WorkerData = workerData

/** Requests come before functions' computing; on Linux this is of the calling thread alone. */
try {
  setPriority(0, niceness)
} catch {
  // Where it is not allowed they share alike.
}

// Only now, as loading is computing too.
await import("./guests.ts")
