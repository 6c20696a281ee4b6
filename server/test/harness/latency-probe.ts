import { once } from "node:events"
import { Worker } from "node:worker_threads"

export interface ProbeResult {
  /** The longest response time of the gateway. */
  maxMs: number
  /**
   * The longest response time of an otherwise idle server: the delay caused by the machine itself.
   */
  controlMs: number
}

/**
 * Requests `/health` every 5 ms from a separate thread, to measure how responsive the gateway is.
 */
export const startLatencyProbe = async (url: string) => {
  const worker = new Worker(new URL("./latency-probe-thread.ts", import.meta.url), {
    workerData: { url },
  })
  await once(worker, "message")
  return {
    stop: async (): Promise<ProbeResult> => {
      worker.postMessage("stop")
      const [result] = await once(worker, "message")
      await worker.terminate()
      return result
    },
  }
}
