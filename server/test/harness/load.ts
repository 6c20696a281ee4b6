import { once } from "node:events"
import { Worker } from "node:worker_threads"

/** A request that is sent again and again, by `concurrency` clients at a time. */
export interface Load {
  url: string
  /** The API key of the user who sends it. */
  key: string
  path: string
  body: string
  concurrency: number
}

/** Sends the load from a separate thread. `stop` waits for the last responses. */
export const startLoad = async (load: Load) => {
  const worker = new Worker(new URL("./load-thread.ts", import.meta.url), { workerData: load })
  await once(worker, "message")
  return {
    /** @returns the number of responses with each status */
    stop: async (): Promise<ReadonlyMap<number, number>> => {
      const reported = once(worker, "message")
      worker.postMessage("stop")
      const [countByStatus] = await reported
      await worker.terminate()
      return countByStatus
    },
  }
}
