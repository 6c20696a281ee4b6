import { once } from "node:events"
import { Worker } from "node:worker_threads"

export interface Waits {
  /** Of the gateway's answers the longest wait. */
  maxMs: number
  /** Of a server's that does nothing else: what the machine itself makes everybody wait. */
  controlMs: number
}

/** Asks `/health` every 5 ms from a thread of its own, as somebody would who is served meanwhile. */
export const startProber = async (url: string) => {
  const worker = new Worker(new URL("./prober-thread.ts", import.meta.url), { workerData: { url } })
  await once(worker, "message")
  return {
    stop: async (): Promise<Waits> => {
      worker.postMessage("stop")
      const [waits] = await once(worker, "message")
      await worker.terminate()
      return waits
    },
  }
}
