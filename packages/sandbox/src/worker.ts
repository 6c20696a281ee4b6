import { workerData } from "node:worker_threads"
import type { WorkerData } from "./protocol.ts"
import { lowerThreadPriority } from "./thread-priority.ts"

const { niceness }: WorkerData = workerData
lowerThreadPriority(niceness)
await import("./isolate-pool.ts")
