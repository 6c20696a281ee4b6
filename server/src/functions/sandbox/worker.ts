import { workerData } from "node:worker_threads"
import { giveWay } from "../../limits/thread-priority.ts"
import type { WorkerData } from "./protocol.ts"

const { niceness }: WorkerData = workerData
giveWay(niceness)
await import("./isolate-pool.ts")
