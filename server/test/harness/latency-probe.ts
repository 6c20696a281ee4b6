import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { percentile } from "./timing.ts"

export interface ProbedRequest {
  method: string
  path: string
  body?: string
  /** The API key of the user who sends it. */
  key?: string
}

export interface ProbeResult {
  /** The longest response time of the gateway. */
  maxMs: number
  /** 95% of its responses took at most this time. */
  p95Ms: number
  /**
   * The longest response time of an otherwise idle server: the delay caused by the machine itself.
   */
  controlMs: number
}

const health: ProbedRequest = { method: "GET", path: "/health" }

/**
 * Sends requests, by default to `/health`, one at a time every 5 ms from a separate thread, to
 * measure how responsive the gateway is. `stop` rejects if one of them failed.
 */
export const startLatencyProbe = async (
  url: string,
  requests: readonly ProbedRequest[] = [health],
) => {
  const worker = new Worker(new URL("./latency-probe-thread.ts", import.meta.url), {
    workerData: { url, requests },
  })
  await once(worker, "message")
  return {
    stop: async (): Promise<ProbeResult> => {
      const reported = once(worker, "message")
      worker.postMessage("stop")
      const [{ times, controlTimes }] = await reported
      await worker.terminate()
      return {
        maxMs: Math.max(...times),
        p95Ms: percentile(times, 0.95),
        controlMs: Math.max(...controlTimes),
      }
    },
  }
}
