import { workerData } from "node:worker_threads"
import { lowerThreadPriority } from "../../limits/thread-priority.ts"
import type { WorkerData } from "./protocol.ts"

const { niceness }: WorkerData = workerData
lowerThreadPriority(niceness)
await import("./isolate-pool.ts")
