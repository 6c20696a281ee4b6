import { workerData } from "node:worker_threads"
import { lowerThreadPriority } from "./thread-priority.ts"
import type { WorkerData } from "./worker-protocol.ts"

const { niceness }: WorkerData = workerData
lowerThreadPriority(niceness)
await import("./worker-main.ts")
